-- One row: a count over the store, by name.
select 'subscriptions' as name, count(*) as amount from visible
union all
select 'removed, not yet collected' as name, count(*) as amount from subscription as s anti join visible as v
  on v.subscription_id = s.subscription_id and v.call_no = s.call_no
union all
select 'queries' as name, count(*) as amount from stored_query
union all
select 'queries with branches to check' as name, count(*) as amount from query_branchpoint
union all
select 'filters that lxml checks' as name, count(*) as amount from subscription_check as s
join visible as v on v.subscription_id = s.subscription_id and v.call_no = s.call_no
where s.way = 'checked' and v.kind = 'filter'
union all
select 'filters that lxml checks on every message' as name, count(*) as amount from subscription_check as s
join visible as v on v.subscription_id = s.subscription_id and v.call_no = s.call_no
where s.way = 'every message' and v.kind = 'filter'
union all
select 'transformations that Saxon evaluates' as name, count(*) as amount from subscription_check as s
join visible as v on v.subscription_id = s.subscription_id and v.call_no = s.call_no
where s.way = 'checked' and v.kind = 'transformation'
union all
select 'transformations that Saxon evaluates on every message' as name, count(*) as amount from subscription_check as s
join visible as v on v.subscription_id = s.subscription_id and v.call_no = s.call_no
where s.way = 'every message' and v.kind = 'transformation'
union all
select 'linear paths' as name, count(*) as amount from query_linear_path
union all
select 'chain edges' as name, count(*) as amount from query_predicate
union all
select 'tag paths' as name, count(*) as amount from tagpath_map
union all
select 'path matches' as name, count(*) as amount from path_match
union all
select 'messages sampled' as name, coalesce(sum(seen), 0) as amount from value_sample where tagpath_id = 0
