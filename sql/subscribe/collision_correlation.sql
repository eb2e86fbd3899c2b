-- One row: two different texts with the same id, in the store or in this call; should never have a row.
select 'correlation' as what, n.canonical as text, s.definition as other
from compiled_correlation as n
join correlation as s on s.correlation_id = n.correlation_id
where s.definition <> n.canonical
union all
select 'correlation' as what, min(canonical) as text, max(canonical) as other
from compiled_correlation
group by correlation_id
having min(canonical) <> max(canonical)
union all
select 'template' as what, n.template as text, s.definition as other
from compiled_correlation as n
join output_template as s on s.template_id = n.template_id
where s.definition <> n.template
union all
select 'template' as what, min(template) as text, max(template) as other
from compiled_correlation
group by template_id
having min(template) <> max(template)
