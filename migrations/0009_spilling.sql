-- Spilling: messages of which elements are kept for later, and subscribers who want no partial outputs.

-- One row: a file of spilled messages, numbered from first_unit on, as they were published in one batch: what was
-- spilled, and the last call whose subscriptions they were matched with.
create table if not exists spilled_file (
  file varchar, first_unit bigint, units bigint, bytes bigint, stream varchar, paths varchar[], call_no bigint,
  time double
);

-- One row: a file of spilled messages that has been completed.
create table if not exists completed_file (file varchar);

-- One row: a subscription whose subscriber wants its outputs whole.
create table if not exists subscription_whole (call_no bigint, subscription_id varchar);
