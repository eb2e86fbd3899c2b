-- One row: the text of a new tag path of this batch.
select tagpath from tagpath_found
