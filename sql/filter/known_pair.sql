-- One row: a pair key; it holds where its two keys hold.
select key, first_key, second_key from predicate_pair
