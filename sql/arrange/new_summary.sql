-- One row: counts over the queries that this call adds, from which a plan is chosen.
select
  q.queries, q.predicates, e.edges, u.range_lookup, u.long_queries, u.slots_used, b.levels, b.inner_points, a.alternatives, t.texts
from (
  select count(*) as queries, coalesce(sum(array_length(predicates)), 0) as predicates from new_query
) as q
cross join (
  select count(distinct chain_id) as edges from arranged_edge
) as e
cross join (
  select coalesce(sum(case when k.op in ('<', '>') then 1 else 0 end), 0) as range_lookup,
    coalesce(sum(case when not u.final then 1 else 0 end), 0) as long_queries,
    coalesce(max(case $cases else 0 end), 0) as slots_used
  from unrolled as u
  left join (select distinct key, op from arranged_key) as k on k.key = u.lookup_key
) as u
cross join (
  select coalesce(max(level), -1) + 1 as levels, coalesce(max(array_length(inner_at)), 0) as inner_points
  from summed_branch as r
) as b
cross join (
  select count(*) as alternatives
  from (select row_no from summed_alternative as p group by row_no having count(*) > 1) as r
) as a
cross join (select count(*) as texts from arranged_text) as t
