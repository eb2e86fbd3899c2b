-- One row: a subscription that lxml decides, visible or not, and its check.
select call_no, subscription_id, check_id from subscription_check
