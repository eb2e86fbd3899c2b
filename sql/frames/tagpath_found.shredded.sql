-- One row: a tag path that is not in the store.
select distinct tagpath, inv_tagpath, tagpath_id
from shredded
where row_kind = 'tagpath'
