-- One row: a message and a condition that holds in it; no stored condition is about a node.
select event_id, query_id, node from message_fact
