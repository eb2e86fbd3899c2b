-- What lxml's checks cost: measured while messages are published.

-- One row: what a check has cost in some batches: the messages that were candidates, those it held in, and seconds.
create table if not exists check_cost (check_id bigint, candidates bigint, held bigint, seconds double);
