-- One row: an output to be made: a template and the bound nodes, once however many transformations share it.
select distinct event_id, template_id, bound from bound
