-- What parts of outputs are worth to subscribers: under overload, the most valuable ones go out first.

-- One row: a subscription and the weights of the paths that its transformation returns, as JSON.
create table if not exists subscription_weights (call_no bigint, subscription_id varchar, weights varchar);
