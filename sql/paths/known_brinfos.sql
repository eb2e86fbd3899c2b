-- One row: an annotated linear path of the store.
select distinct linear_path, brinfo from linear_path_brinfo
