-- One row: a key by which queries may be found holds in a message: one of key_held, or one that stands for two of them.
select event_id, key from key_held
union all
select a.event_id, p.key
from key_held as a
join predicate_pair as p on p.first_key = a.key
semi join key_held as b on b.event_id = a.event_id and b.key = p.second_key
