-- One row: a linear path of an edge of some correlation's patterns, and the stream it is looked for in.
select distinct stream, linear_path_id from join_edge
