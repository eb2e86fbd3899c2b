-- One row: an output to be made: a template, the bound nodes and the affected blocks.
select distinct event_id, template_id, bound, affected from bound
