-- One row: a message of which a transformation makes something: an outermost `for` has bound something.
select distinct event_id, transformation_id from tuple_1 where outermost
