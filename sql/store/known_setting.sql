-- One row: a setting of the store.
select name, value from setting
