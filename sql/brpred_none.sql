-- No row: below the deepest level there are no branching points.
select cast(0 as bigint) as event_id, cast(0 as bigint) as sub_id, 0 as point, 0 as node, cast(0 as bigint) as bits
where false
