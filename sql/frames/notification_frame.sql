-- One row: a notification from the frame, for any kind of subscription.
select message_id, subscription_id, output from notification_all
union all
select message_id, subscription_id, output from notification_correlation
