-- One row: what a plan is chosen from, counted over the stored queries.
select
  (select count(*) from stored_query) as queries,
  (select coalesce(sum(array_length(predicates)), 0) from stored_query) as predicates,
  (select count(*) from query_predicate) as edges,
  (select count(*) from predicate_unroll where op1 <> '=') as range_access,
  (select count(*) from predicate_unroll where not final) as long_queries,
  (select coalesce(max(level), -1) + 1 from query_branch) as levels
