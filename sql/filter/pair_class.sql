-- One row: a key that stands for two others, each of them replaced by the one that stands for its class.
select p.key, f.class_key as first_key, s.class_key as second_key
from predicate_pair as p
join key_class as f on f.key = p.first_key
join key_class as s on s.key = p.second_key
