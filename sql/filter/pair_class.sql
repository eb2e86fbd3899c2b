-- One row: a pair key, its two keys replaced by those that represent their classes.
select p.key, f.class_key as first_key, s.class_key as second_key
from predicate_pair as p
join key_class as f on f.key = p.first_key
join key_class as s on s.key = p.second_key
