"""The `unroll` plan: the first k predicates of a query side by side in one row, the rest in a chain (section 4.3)."""

from __future__ import annotations

from xpubsub.step import Pipeline, Step, file_step


def unroll(slots: int, *, rest: bool = True) -> Pipeline:
    """Candidates by unrolled predicates; without a rest no query has more predicates than slots."""
    return (
        file_step("path_tuple", reused=True),
        file_step("unroll_access"),
        unroll_slots(slots),
        file_step("candidate", file="unroll_rest" if rest else "unroll_whole", reused=True),
    )


def unroll_slots(slots: int) -> Step:
    """One row: a message in which the predicates of all slots of a query hold.

    Slot by slot a semijoin: a predicate that holds in many nodes of a message keeps its pair once.
    """
    joins = "\n".join(_slot_join(slot) for slot in range(2, slots + 1))
    header = "-- One row: a message in which the predicates of all slots of a query hold."
    select = "select c.event_id, c.sub_id, c.final, c.chain_id\nfrom unroll_access as c"
    return Step("unroll_slots", f"{header}\n{select}\n{joins}", reused=True)


def _slot_join(slot: int) -> str:
    node, predicate = f"t{slot}", f"c.op{slot}, c.value{slot}, c.number{slot}"
    return (
        f"semi join path_tuple as {node} on {node}.event_id = c.event_id and {node}.linear_path_id = c.path{slot}"
        f" and passes({node}.value, {node}.number, {predicate})"
    )
