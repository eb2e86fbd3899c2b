-- One row: a condition on what a step of a transformation has bound.
select transformation_id, step, query_id, looks_at, negated from transformation_condition
