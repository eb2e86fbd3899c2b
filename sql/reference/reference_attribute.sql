-- One row: a node whose value is a key of a reference table, and the value of a column that subscriptions name.
select k.row_no, p.place, v.value
from reference_key as k
join reference_place as p on p.key_tagpath_id = k.tagpath_id
join reference_value as v on v.call_no = p.call_no and v.column_name = p.column_name and v.key = k.value
