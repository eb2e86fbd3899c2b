-- One row: whether this call contains transformations, correlations, checks and warnings.
select (select count(*) from compiled_transformation) > 0 as transformations,
  (select count(*) from compiled_correlation) > 0 as correlations,
  (select count(*) from compiled_check) > 0 as checks,
  (select count(*) from compiled_warning) > 0 as warnings
