-- One row: a time of the frame that is none.
select time from event_time where isnan(time) or abs(time) > 1e308 limit 1
