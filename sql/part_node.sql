-- One row: a node to be copied into an output.
select template_id, doc_left, doc_right, of_right, nodes, docid, cast(0 as bigint) as brinfo_id, base, base as node
from part_base
where brinfo_id is null
union all
select b.template_id, b.doc_left, b.doc_right, b.of_right, b.nodes, b.docid, b.brinfo_id, b.base, b.node
from (
  select p.template_id, p.doc_left, p.doc_right, p.of_right, p.nodes, p.docid, p.brinfo_id, p.base,
    unnest(r.nodes) as node
  from part_base as p
  join rreturn_joined as r on r.docid = p.docid and r.brinfo_id = p.brinfo_id and r.base = p.base
) as b
