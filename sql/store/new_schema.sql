-- One row: the schema that this call registers under a name, or removes.
select f.call_no, f.name, f.definition from call_form as f
