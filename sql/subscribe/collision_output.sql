-- One row: two different texts with the same id, in the store or in this call; should never have a row.
-- The texts are those of transformations or correlations, and of their output templates.
select '$kind' as what, n.canonical as text, s.definition as other
from $compiled as n
join $kind as s on s.$id = n.$id
where s.definition <> n.canonical
union all
select '$kind' as what, min(canonical) as text, max(canonical) as other
from $compiled
group by $id
having min(canonical) <> max(canonical)
union all
select 'template' as what, n.template as text, s.definition as other
from $compiled as n
join output_template as s on s.template_id = n.template_id
where s.definition <> n.template
union all
select 'template' as what, min(template) as text, max(template) as other
from $compiled
group by template_id
having min(template) <> max(template)
