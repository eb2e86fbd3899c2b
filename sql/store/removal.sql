-- One row: a removed subscription id, and the call that removed it.
select subscription_id, call_no from unsubscription
