-- One row: a message and a transformation that makes an output from it: its outermost `for` bound a node.
select distinct event_id, transformation_id from tuple_1 where outermost
