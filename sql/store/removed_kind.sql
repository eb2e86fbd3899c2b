-- One row: a subscription that this call removes, with its kind.
select subscription_id, kind from new_unsubscription
