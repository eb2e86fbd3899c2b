-- One row: what this call contains: kinds of subscriptions, and what subscriptions may state.
select (select count(*) from compiled_transformation) > 0 as transformations,
  (select count(*) from compiled_correlation) > 0 as correlations,
  (select count(*) from compiled_check) > 0 as checks,
  (select count(*) from compiled_warning) > 0 as warnings,
  coalesce(bool_or(f.max_delay <> ''), false) as delays,
  coalesce(bool_or(f.variables <> ''), false) as variables,
  coalesce(bool_or(f.partial = 'false'), false) as wholes,
  coalesce(bool_or(f.weights <> ''), false) as weights
from incoming_form as f
