-- Streaming jobs: how far each has come, and the delays that subscriptions accept.

-- One row: a batch that a streaming job has committed; the newest batch of a job counts, in its last revision. The
-- position is where the source goes on, the figures are counts and delays, both as JSON.
create table if not exists stream_batch (
  job varchar, batch_no bigint, revision integer, position varchar, figures varchar
);

-- One row: an item of a source, such as a file, that a streaming job has published.
create table if not exists stream_item (job varchar, item varchar);

-- One row: a subscription and the longest delay it accepts, such as 5s.
create table if not exists subscription_delay (call_no bigint, subscription_id varchar, max_delay varchar);
