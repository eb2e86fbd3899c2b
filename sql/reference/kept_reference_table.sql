-- One row: a reference table in use, as it is stored.
select call_no, name, path, linear_path, key_column, column_names, amount from visible_reference
