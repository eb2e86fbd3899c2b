-- One row: a condition of transformations holds in a message; none is about a node.
select event_id, query_id, node from message_fact
