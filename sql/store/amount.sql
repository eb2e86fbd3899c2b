-- One row: how many rows of a kind the store has, by the name of the count in a summary.
select 'transformations' as name, count(*) as amount from transformation
union all
select 'correlations' as name, count(*) as amount from correlation
union all
select 'pairs' as name, count(*) as amount from predicate_pair
union all
select 'checks' as name, count(*) as amount from subscription_check
union all
select 'tagpaths' as name, count(*) as amount from tagpath_map
union all
select 'path_matches' as name, count(*) as amount from path_match
