-- One row: how many messages are dropped, how many are kept, and how often clocks were moved.
select (select count(*) from gone_message) as gone, (select count(*) from rdoc_ts) as kept,
  (select count(*) from stream_clock) as clocks
