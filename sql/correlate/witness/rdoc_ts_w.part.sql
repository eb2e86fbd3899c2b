-- One row: a message of a worker's part of the batch; its docid is its event id until all parts are numbered.
select event_id, event_id as docid from event
