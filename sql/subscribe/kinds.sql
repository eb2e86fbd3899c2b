-- One row: which kinds of subscription a call brings, beside filters, and whether there are warnings.
select (select count(*) from compiled_transformation) > 0 as transformations,
  (select count(*) from compiled_correlation) > 0 as correlations,
  (select count(*) from compiled_warning) > 0 as warnings
