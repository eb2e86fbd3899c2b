-- One row: a key that stands for two others.
select key, first_key, second_key from predicate_pair
