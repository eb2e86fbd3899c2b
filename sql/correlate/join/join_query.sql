-- One row: a correlation with its join template.
select template_id, correlation_id from join_member order by correlation_id
