-- One row: a template and nodes of a message of which it makes an output, however many transformations ask for that.
select distinct event_id, template_id, bound from bound
