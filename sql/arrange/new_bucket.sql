-- One row: the lower limit of a new bucket, for a linear path with many range constants and no buckets yet.
-- About twenty buckets, each with the same number of constants (section 4.2).
select c.linear_path_id, c.op, min(c.number) as bound
from (
  select n.linear_path_id, n.op, n.number,
    ntile(20) over (partition by n.linear_path_id, n.op order by n.number) as tile
  from range_constant as n
) as c
semi join (
  select linear_path_id, op from range_constant group by linear_path_id, op having count(*) >= 100
) as m on m.linear_path_id = c.linear_path_id and m.op = c.op
anti join known_bucket as b on b.linear_path_id = c.linear_path_id and b.op = c.op
group by c.linear_path_id, c.op, c.tile
