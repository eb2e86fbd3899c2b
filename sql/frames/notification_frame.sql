-- One row: a notification of the frame, of any kind of subscription.
select message_id, subscription_id, output from notification_all
union all
select message_id, subscription_id, output from notification_correlation
