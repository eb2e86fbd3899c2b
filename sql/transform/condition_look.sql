-- One row: a condition on the nodes that a step of a transformation binds.
select transformation_id, step, query_id, looks_at, negated from transformation_condition
