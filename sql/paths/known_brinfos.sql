-- One row: an annotated linear path in the store.
select distinct linear_path, brinfo from linear_path_brinfo
