-- One row: a linear path in the store, plain (brinfo is null) or annotated.
select linear_path, cast(null as varchar) as brinfo from query_linear_path
union all
select linear_path, brinfo from linear_path_brinfo
