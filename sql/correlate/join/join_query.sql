-- One row: a correlation with its join template.
select template_id, cid from join_member order by cid
