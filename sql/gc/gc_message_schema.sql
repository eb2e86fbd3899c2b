-- One row: a schema in use.
select call_no, name, definition from visible_schema
