-- One row: how many steps lead from the nodes that are joined to those that outputs mention, at most.
select coalesce(max(place), 0) as places from join_hop
