-- One row: a node whose value or name programs read; its tag path only if they read the name.
select r.event_id, r.node_id as node, coalesce(r.value, '') as value, case when t.named then p.tagpath end as tagpath
from sax_parse_result as r
join (
  select m.tagpath_id, bool_or(v.named) as named
  from path_match as m
  join template_value as v on v.linear_path_id = m.linear_path_id
  semi join batch_tagpath as b on b.tagpath_id = m.tagpath_id
  group by m.tagpath_id
) as t on t.tagpath_id = r.tagpath_id
join tagpath_map as p on p.tagpath_id = r.tagpath_id
