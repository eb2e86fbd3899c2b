-- One row: a tag path that occurs in this batch.
select distinct tagpath_id from sax_parse_result
