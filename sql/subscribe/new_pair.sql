-- One row: a key that stands for two others, not stored yet.
select distinct n.key, n.first_key, n.second_key
from arranged_pair as n
anti join predicate_pair as s on s.key = n.key
