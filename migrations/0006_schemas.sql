-- Schemas of messages: which elements may contain which.

-- One row: a schema that a call registered under a name, its element graph as JSON; an empty one removes the schema.
-- The newest row of a name counts.
create table if not exists message_schema (call_no bigint, name varchar, definition varchar);
