-- One row: a variable whose values are compared.
select var_left as var from pair_wanted
union
select var_right as var from pair_wanted
