-- One row: the lookup key of the query of a subscription.
select lookup_key from lookup_subscription
