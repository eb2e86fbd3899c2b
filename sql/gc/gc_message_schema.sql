-- One row: a schema that counts.
select call_no, name, definition from visible_schema
