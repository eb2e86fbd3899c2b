-- One row: a correlation and its join template.
select template_id, correlation_id from join_member order by correlation_id
