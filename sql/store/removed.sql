-- One row: a subscription that this call removes, as the store records it.
select call_no, subscription_id from new_unsubscription
