-- One row: an annotated linear path in this call.
select distinct linear_path, linear_path_id, brinfo, brinfo_id from compiled_brinfo
