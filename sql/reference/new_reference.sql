-- One row: the reference table that this call gives under a name, or removes.
select f.call_no, f.name, f.path, f.linear_path, f.key_column, f.column_names, f.amount from call_form as f
