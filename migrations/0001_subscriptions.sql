-- Subscriptions as subscribers see them, and the calls that make them visible.

-- One row: a setting of this store, fixed when the store is created.
create table if not exists setting (name varchar, value varchar);

-- One row: a completed call that changed the store. It is written last: rows of calls without one are not visible.
create table if not exists completed_call (call_no bigint, action varchar, subscriptions bigint);

-- One row: a subscription, as the subscriber wrote it.
create table if not exists subscription (
  call_no bigint, subscription_id varchar, kind varchar, text varchar, dialect varchar, namespaces varchar, stream varchar
);

-- One row: a subscription id that a call removed; earlier rows with that id are gone.
create table if not exists unsubscription (call_no bigint, subscription_id varchar);

-- One row: a subscription and one of its queries. One with `or` has several, one that never matches none.
create table if not exists subscription_query (call_no bigint, subscription_id varchar, stream varchar, query_id bigint);

-- One row: a subscription and its transformation.
create table if not exists subscription_transformation (
  call_no bigint, subscription_id varchar, stream varchar, transformation_id bigint
);

-- One row: a subscription and its correlation.
create table if not exists subscription_correlation (call_no bigint, subscription_id varchar, correlation_id bigint);
