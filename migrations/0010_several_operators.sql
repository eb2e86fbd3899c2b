-- Correlations of more than two blocks: what was said of the left and the right message is said by the number of the block.

-- One row: a correlation as one of a template (R_T): its variables in the template's order; for each operator the window in
-- seconds and whether it is FOLLOWED BY; and how far the times of its messages may lie apart.
create table if not exists join_member (
  template_id bigint, cid bigint, vars bigint[], windows double[], followed boolean[], reach double
);

-- One row: how a node that the output mentions is found from one that the join has found, up or down an edge.
create table if not exists join_hop (
  cid bigint, place integer, from_at integer, upward boolean, block integer, var1 bigint, var2 bigint
);

-- One row: what the output of a correlation mentions: places among the nodes found, and the block of each; the template that
-- it is made by; and the stream that it is published to, if any.
create table if not exists join_result (
  cid bigint, mentioned integer[], blocks integer[], template_id bigint, publish varchar
);

-- One row: a path whose nodes a correlation copies.
create table if not exists join_copy (cid bigint, linear_path_id bigint);

insert into join_member
select q.template_id, q.cid, q.vars, case when p.cid is null then [] else [q.wl] end as windows,
  case when p.cid is null then [] else [q.followed] end as followed, q.wl as reach
from join_query as q
left join (select distinct cid from join_pair) as p on p.cid = q.cid
anti join join_member as n on n.cid = q.cid;

insert into join_hop
select s.cid, s.place, s.from_at, s.upward, case when s.is_right and p.cid is not null then 2 else 1 end as block, s.var1,
  s.var2
from join_step as s
left join (select distinct cid from join_pair) as p on p.cid = s.cid
anti join join_hop as n on n.cid = s.cid;

insert into join_result
select o.cid, o.mentioned,
  case when p.cid is null then list_transform(o.of_right, lambda r: 1)
    else list_transform(o.of_right, lambda r: case when r then 2 else 1 end) end as blocks,
  o.template_id, o.publish
from join_output as o
left join (select distinct cid from join_pair) as p on p.cid = o.cid
anti join join_result as n on n.cid = o.cid;

insert into join_copy
select c.cid, u.linear_path_id
from correlation as c
cross join (select distinct linear_path_id from linear_path_use where node_use >= 8) as u
anti join join_copy as n on n.cid = c.cid;

drop table if exists join_query;

drop table if exists join_step;

drop table if exists join_output;
