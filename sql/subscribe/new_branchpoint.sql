-- One row: a query of this call whose branches have to be checked together, not stored yet.
select b.query_id, b.branchpoint_info, b.shape, b.want
from compiled_branchpoint as b
semi join new_query as q on q.query_id = b.query_id and q.row_no = b.row_no
anti join query_branchpoint as s on s.query_id = b.query_id
