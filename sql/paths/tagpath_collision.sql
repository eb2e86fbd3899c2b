-- One row: two different tag paths with the same id. Ids are 63-bit hashes, so this should never have a row.
select 'tag path' as what, n.tagpath as text, s.tagpath as other
from tagpath_found as n
join tagpath_map as s on s.tagpath_id = n.tagpath_id
where s.tagpath <> n.tagpath
union all
select 'tag path' as what, min(tagpath) as text, max(tagpath) as other
from tagpath_found
group by tagpath_id
having min(tagpath) <> max(tagpath)
