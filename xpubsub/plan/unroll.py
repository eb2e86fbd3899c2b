"""The `unroll` plan: a query is found by one key, its next k predicates stand side by side in one row (section 4.3)."""

from __future__ import annotations

from xpubsub.plan.keys import keys_held, walked
from xpubsub.shred.keys import EQUAL
from xpubsub.step import Pipeline, Step, file_step


def unroll(slots: int, *, rest: bool = True, texts: bool = True) -> Pipeline:
    """Candidates by unrolled predicates; without a rest no query has more predicates than slots."""
    if not rest:
        return (*keys_held(), unroll_slots("candidate", slots))
    return (
        *keys_held(),
        unroll_slots("unroll_slots", slots),
        file_step("chain_start", file="unroll_rest"),
        *walked(EQUAL, texts=texts),
        file_step("candidate", file="unroll_all", reused=True),
    )


def unroll_slots(name: str, slots: int) -> Step:
    """One row: a message in which the access key and the predicates of all slots of a query hold.

    Slot by slot a semijoin that compares numbers only.
    """
    joins = "\n".join(_slot_join(slot) for slot in range(1, slots + 1))
    header = "-- One row: a message in which the access key and the predicates of all slots of a query hold."
    select = ("select a.event_id, u.sub_id, u.final, u.chain_id\n"
              "from key_held as a\njoin predicate_unroll as u on u.access = a.key")
    return Step(name, f"{header}\n{select}\n{joins}", reused=True)


def _slot_join(slot: int) -> str:
    held = f"h{slot}"
    return (f"semi join key_held as {held} on {held}.event_id = a.event_id and {held}.key = u.key{slot}"
            f" and {held}.top > u.bound{slot}")
