-- Reference data: tables whose rows are joined with nodes of messages (Tian 2004, section 3.1).

-- One row: a reference table that a call has given under a name, with the path of its keys, the column they are in, and its
-- other columns as JSON; no linear path if the call removes it. The newest row of a name counts.
create table if not exists reference_table (
  call_no bigint, name varchar, path varchar, linear_path varchar, key_column varchar, column_names varchar, amount bigint
);

-- One row: the value of a column of a reference table in the row with a key.
create table if not exists reference_value (call_no bigint, column_name varchar, key varchar, value varchar);
