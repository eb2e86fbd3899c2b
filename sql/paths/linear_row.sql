-- One row: a linear path of the store, and one for each of its annotations.
select linear_path, cast(null as varchar) as brinfo from query_linear_path
union all
select linear_path, brinfo from linear_path_brinfo
