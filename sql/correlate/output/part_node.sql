-- One row: a node to copy into an output.
select template_id, owners, nodes, docid, cast(0 as bigint) as brinfo_id, base, base as node
from part_base
where brinfo_id is null
union all
select b.template_id, b.owners, b.nodes, b.docid, b.brinfo_id, b.base, b.node
from (
  select p.template_id, p.owners, p.nodes, p.docid, p.brinfo_id, p.base, unnest(r.nodes) as node
  from part_base as p
  join rreturn_joined as r on r.docid = p.docid and r.brinfo_id = p.brinfo_id and r.base = p.base
) as b
