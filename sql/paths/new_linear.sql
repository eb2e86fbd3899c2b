-- One row: a linear path or an annotation of one that has to be matched with the known tag paths.
select linear_path, cast(null as varchar) as brinfo from new_linear_path
union all
select linear_path, brinfo from new_brinfo
