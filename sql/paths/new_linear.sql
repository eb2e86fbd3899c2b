-- One row: a new linear path, plain or annotated, to be matched with the stored tag paths.
select linear_path, cast(null as varchar) as brinfo from new_linear_path
union all
select linear_path, brinfo from new_brinfo
