-- Subscriptions as their owners see them, and the record of calls that makes them visible.

-- One row: a setting of this store, fixed when it was created.
create table if not exists setting (name varchar, value varchar);

-- One row: a call that changed subscriptions and is complete. It is written last: rows of other calls are not visible.
create table if not exists completed_call (call_no bigint, action varchar, subscriptions bigint);

-- One row: a subscription as it was given.
create table if not exists subscription (
  call_no bigint, subscription_id varchar, kind varchar, text varchar, dialect varchar, namespaces varchar, stream varchar
);

-- One row: a subscription was removed by a call; earlier rows of that id are gone.
create table if not exists unsubscription (call_no bigint, subscription_id varchar);

-- One row: a query fulfils a subscription. A subscription with `or` has several queries, one that never matches has none.
create table if not exists subscription_query (call_no bigint, subscription_id varchar, stream varchar, query_id bigint);

-- One row: a transformation fulfils a subscription.
create table if not exists subscription_transformation (
  call_no bigint, subscription_id varchar, stream varchar, transformation_id bigint
);

-- One row: a correlation fulfils a subscription.
create table if not exists subscription_correlation (call_no bigint, subscription_id varchar, correlation_id bigint);
