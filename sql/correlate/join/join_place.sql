-- One row: the largest number of steps from a joined node to a node that an output mentions.
select coalesce(max(place), 0) as places from join_hop
