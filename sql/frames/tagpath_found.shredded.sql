-- One row: a tag path that the store does not know.
select distinct tagpath, inv_tagpath, tagpath_id
from shredded
where row_kind = 'tagpath'
