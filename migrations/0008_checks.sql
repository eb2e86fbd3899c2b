-- Filters that SQL cannot decide alone: lxml decides them, for messages that meet a necessary condition.

-- One row: a check: an XPath expression for lxml, with its namespaces by prefix as JSON.
create table if not exists query_check (check_id bigint, expression varchar, namespaces varchar);

-- One row: a subscription whose queries are only necessary, its check, and its way: checked, or every message.
create table if not exists subscription_check (call_no bigint, subscription_id varchar, check_id bigint, way varchar);

-- One row: a subscription and the values of its variables, as JSON.
create table if not exists subscription_variables (call_no bigint, subscription_id varchar, variables varchar);
