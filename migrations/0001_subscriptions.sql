-- Subscriptions as their owners see them, and the record of calls that makes them visible.

-- One row: a setting of this store, fixed when it was created.
create table if not exists setting (name varchar, value varchar);

-- One row: a call that changed subscriptions and is complete. Rows of other calls are not visible: written last.
create table if not exists completed_call (call_no bigint, action varchar, subscriptions bigint);

-- One row: a subscription as it was given.
create table if not exists subscription (
  call_no bigint, subscription_id varchar, kind varchar, text varchar, dialect varchar, namespaces varchar, stream varchar
);

-- One row: a subscription is fulfilled by a query; one with `or` has several, one that never matches has none.
create table if not exists subscription_query (call_no bigint, subscription_id varchar, stream varchar, sub_id bigint);

-- One row: a subscription was removed by a call; earlier rows of that id are gone.
create table if not exists unsubscription (call_no bigint, subscription_id varchar);
