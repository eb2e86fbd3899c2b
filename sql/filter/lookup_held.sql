-- One row: a message and a lookup key that holds in it: a key, or a pair key whose two keys hold.
select event_id, key from key_held
union all
select a.event_id, p.key
from key_held as a
join predicate_pair as p on p.first_key = a.key
semi join key_held as b on b.event_id = a.event_id and b.key = p.second_key
