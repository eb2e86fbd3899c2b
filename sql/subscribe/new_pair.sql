-- One row: a pair key that is not stored yet; it holds where its two keys hold.
select distinct n.key, n.first_key, n.second_key
from arranged_pair as n
anti join predicate_pair as s on s.key = n.key
