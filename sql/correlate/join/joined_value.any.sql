-- One row: a node of a message, in the batch or kept, with its value and number.
select docid, node, value, number from value_any
