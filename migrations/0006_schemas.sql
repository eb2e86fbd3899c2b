-- Schemas of messages: which element may stand in which, known beforehand.

-- One row: a call gave a schema this name, its element graph as JSON; an empty one removes it. The newest row of a name counts.
create table if not exists message_schema (call_no bigint, name varchar, definition varchar);
