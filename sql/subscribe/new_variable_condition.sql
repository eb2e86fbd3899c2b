-- One row: a condition on a variable that is not stored yet.
select distinct c.var, c.alternative, c.query_id, c.negated
from compiled_variable_condition as c
anti join variable_condition as s on s.var = c.var
