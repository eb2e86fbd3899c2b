-- One row: how many subscriptions of this call are new.
select count(*) as added from compiled_new
