-- One row: counts over the stored queries, from which a plan is chosen.
select coalesce(sum(queries), 0) as queries, coalesce(sum(predicates), 0) as predicates, coalesce(sum(edges), 0) as edges,
  coalesce(sum(range_lookup), 0) as range_lookup, coalesce(sum(long_queries), 0) as long_queries,
  coalesce(max(slots_used), 0) as slots_used, coalesce(max(levels), 0) as levels,
  coalesce(max(inner_points), 0) as inner_points,
  coalesce(sum(alternatives), 0) as alternatives, coalesce(sum(texts), 0) as texts
from query_summary
