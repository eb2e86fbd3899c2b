-- One row: a query in this call whose branches must be checked together, and that is not stored yet.
select b.query_id, b.branchpoint_info, b.shape, b.want
from compiled_branchpoint as b
semi join new_query as q on q.query_id = b.query_id and q.row_no = b.row_no
anti join query_branchpoint as s on s.query_id = b.query_id
