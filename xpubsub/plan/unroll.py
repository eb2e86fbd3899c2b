"""The `unroll` plan: a query is found by one key, its next k predicates stand side by side in one row (section 4.3)."""

from __future__ import annotations

from xpubsub.plan.keys import keys_held, pairs_held, texts_tested, walked
from xpubsub.shred.keys import ALWAYS, EQUAL
from xpubsub.step import Pipeline, Step, file_step


def unroll(
    slots: int, *, rest: bool = True, texts: bool = True, pairs: bool = False, classes: bool = False,
    given: Pipeline | None = None,
) -> Pipeline:
    """Candidates by unrolled predicates; without a rest no query has more predicates than slots."""
    by_class = (class_unroll(slots),) if classes else ()
    by_pair = pairs_held(classes=classes) if pairs else ()
    slotted = unroll_slots(slots, "class_unroll" if classes else "predicate_unroll", pairs=pairs)
    found = (*keys_held(classes=classes, given=given), *by_pair, *by_class, slotted)
    if not rest:
        return texts_tested(found, texts)
    walk = walked(EQUAL, classes=classes)
    return texts_tested((*found, file_step("chain_start", "rest"), *walk, file_step("unroll_all", reused=True)), texts)


def unroll_slots(slots: int, table: str, *, pairs: bool = False) -> Step:
    """One row: a message in which the access key and the predicates of all slots of a query hold.

    Slot by slot a semijoin that compares numbers only.
    """
    joins = "\n".join(_slot_join(slot) for slot in range(1, slots + 1))
    header = "-- One row: a message in which the access key and the predicates of all slots of a query hold."
    select = "select a.event_id, u.sub_id, u.final, u.chain_id"
    tables = f"from {'access_held' if pairs else 'key_held'} as a\njoin {table} as u on u.access = a.key"
    return Step("unroll_slots", f"{header}\n{select}\n{tables}\n{joins}", reused=True)


def class_unroll(slots: int) -> Step:
    """One row: a query with its slots, each key replaced by the one that stands for its class."""
    numbers = range(1, slots + 1)
    keys = ", ".join(
        f"case when u.key{n} = {ALWAYS} then u.key{n} else c{n}.class_key end as key{n}, u.bound{n}" for n in numbers)
    joins = "\n".join(f"left join key_class as c{n} on c{n}.key = u.key{n}" for n in numbers)
    header = "-- One row: a query with its slots, each key replaced by the one that stands for its class."
    select = f"select a.class_key as access, u.sub_id, u.final, u.chain_id, {keys}"
    tables = "from predicate_unroll as u\njoin key_class as a on a.key = u.access"
    return Step("class_unroll", f"{header}\n{select}\n{tables}\n{joins}")


def _slot_join(slot: int) -> str:
    held = f"h{slot}"
    return (f"semi join key_held as {held} on {held}.event_id = a.event_id and {held}.key = u.key{slot}"
            f" and {held}.top > u.bound{slot}")
