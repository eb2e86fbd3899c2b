-- One row: a node of a message, kept or of the batch, with its value and number.
select docid, node, value, number from value_any
