-- One row: a condition on what a step of a transformation has bound.
select tid, step, sub_id, looks_at, negated from transformation_condition
