-- One row: the number of new subscriptions in this call.
select count(*) as added from compiled_new
