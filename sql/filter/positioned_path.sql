-- One row: an annotated linear path with positions in a tag path.
select brinfo_id from tagpath_brinfo
