-- One row: the text of a tag path that was found in this batch.
select tagpath from tagpath_found
