-- One row: a tag path that stands in this batch.
select distinct tagpath_id from sax_parse_result
