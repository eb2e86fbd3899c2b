-- One row: a path, with its base, by which tuples may repeat; a null path means tuples that always may.
select distinct r.linear_path_id, p.linear_path, r.base
from block_repeat as r
left join query_linear_path as p on p.id = r.linear_path_id
union all
select cast(null as bigint) as linear_path_id, cast(null as varchar) as linear_path, 0 as base
from transformation as t
anti join transformation_template as m on m.transformation_id = t.transformation_id
