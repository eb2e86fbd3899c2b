"""Steps of filter plans whose SQL depends on the case: the relations they read, the number of slots or levels."""

from __future__ import annotations

from xpubsub.arrange.arranger import BUCKET_ROOT, RANGE_ROOT, SHARE_ROOT
from xpubsub.arrange.keys import ALWAYS, EQUAL, OTHER
from xpubsub.plan.filter_case import FilterCase
from xpubsub.plan.spilling import AFTER_SPILLING
from xpubsub.step import Pipeline, Step, file_step

CHECK = "check"
"""The name of the Python function that evaluates checks."""
_CHECKS = """left join subscription_check as x on x.subscription_id = s.subscription_id and x.call_no = s.call_no
left join check_held as h on h.event_id = m.event_id and h.check_id = x.check_id"""
_SOME_HELD = """left join check_held as h on h.event_id = m.event_id and h.check_id = s.check_id
where s.check_id is null or h.check_id is not null"""
_NO_OUTPUT, _OF_CHECK = "cast(null as varchar) as output", "h.output, h.code, h.reason"


def tagpath_key(case: FilterCase) -> Step:
    """Return the step to the keys that nodes of a tag path may satisfy."""
    return file_step("tagpath_key", "class" if case.classes else "", reused=True)


def lookup_held(case: FilterCase) -> Step:
    """Return the step to the lookup keys that hold, including pair keys.

    The Python twin is `Lookup.paired` (`jobs/publish/single.py`); `tests/test_single.py` compares the two.
    """
    return file_step("lookup_held", tables={"predicate_pair": "pair_class"} if case.classes else None)


def class_unroll(case: FilterCase) -> Step:
    """Return the step to queries with their slots, each key replaced by the key that represents its class."""
    numbers = range(1, case.summary.slots_used + 1)
    keys = ", ".join(
        f"case when u.key{n} = {ALWAYS} then u.key{n} else c{n}.class_key end as key{n}, u.bound{n}" for n in numbers)
    joins = "\n".join(f"left join key_class as c{n} on c{n}.key = u.key{n}" for n in numbers)
    header = "-- One row: a query with its slots, each key replaced by the key that represents its class."
    select = f"select a.class_key as lookup_key, u.query_id, u.final, u.chain_id, {keys}"
    tables = "from predicate_unroll as u\njoin key_class as a on a.key = u.lookup_key"
    return Step("class_unroll", f"{header}\n{select}\n{tables}\n{joins}", standing=True)


def unroll_slots(case: FilterCase) -> Step:
    """Return the step to messages and queries whose lookup key and slots hold.

    The Python twin is `FoundQueries.passing` (`jobs/publish/query_cache.py`), for one message; `tests/test_single.py`
    compares the two.
    """
    slots = "\n".join(_slot_join(slot, "u" if case.narrowed else "a") for slot in _slots(case))
    header = "-- One row: a message and a query whose lookup key and slots all hold in it."
    if case.narrowed:
        body = f"select u.event_id, u.query_id, u.final, u.chain_id\nfrom slot_asked as u\n{slots}"
    else:
        body = f"select a.event_id, u.query_id, u.final, u.chain_id\n{_looked_up(case)}\n{slots}"
    return Step("unroll_slots", f"{header}\n{body}", reused=case.rest or case.reread)


def slot_asked(case: FilterCase) -> Step:
    """Return the step to messages and queries whose lookup key holds, with the slots that are still to be compared."""
    columns = "".join(f", u.key{slot}, u.bound{slot}" for slot in _slots(case))
    header = "-- One row: a message and a query whose lookup key holds in it, with the query's slots."
    body = f"select a.event_id, u.query_id, u.final, u.chain_id{columns}\n{_looked_up(case)}"
    return Step("slot_asked", f"{header}\n{body}", spread="event_id")


def _slots(case: FilterCase) -> range:
    return range(1, case.summary.slots_used + 1)


def _looked_up(case: FilterCase) -> str:
    held, queries = "lookup_held" if case.pairs else "key_held", "class_unroll" if case.classes else "predicate_unroll"
    return f"from {held} as a\njoin {queries} as u on u.lookup_key = a.key"


def _slot_join(slot: int, messages: str) -> str:
    held = f"h{slot}"
    return (f"semi join key_held as {held} on {held}.event_id = {messages}.event_id and {held}.key = u.key{slot}"
            f" and {held}.max_value > u.bound{slot}")


def chain_root(case: FilterCase) -> Step:
    """Return the step to the roots of chains."""
    roots = SHARE_ROOT, BUCKET_ROOT if case.plan == "bucket" else RANGE_ROOT
    values = ", ".join(f"({root})" for root in roots)
    header = "-- One row: a root of chains."
    select = f"select cast(v.chain_id as bigint) as chain_id from (values {values}) as v(chain_id)"
    return Step("chain_root", f"{header}\n{select}")


def chain_key(case: FilterCase) -> Step:
    """Return the step that walks chains from `chain_start` as far as they hold."""
    classes = case.classes and not case.narrowed
    join, key = ("join key_class as k on k.key = p.key", "k.class_key") if classes else ("", "p.key")
    first_stage = EQUAL if case.plan == "unroll" else OTHER
    return file_step("chain_key", tables=case.edges, first=str(first_stage), classes=join, key=key)


def share_equal(case: FilterCase) -> Step:
    """Return the step that walks chains from their roots, as far as equalities hold."""
    return file_step("share_equal", tables=case.edges)


def chain_end(case: FilterCase) -> Step:
    """Return the step to queries whose whole chains hold."""
    return file_step("chain_end", reused=case.plan != "unroll" and case.reread)


def unroll_all(case: FilterCase) -> Step:
    """Return the step to queries found by their slots or by their chains."""
    return file_step("unroll_all", reused=case.reread)


def text_asked(case: FilterCase) -> Step:
    """Return the step to predicates on text of the candidates found by keys."""
    return file_step("text_asked", reused=True, tables={"key_candidate": case.found_by_keys})


def text_failed(case: FilterCase) -> Step:
    """Return the step to candidates with a predicate on text that fails."""
    return file_step("text_failed", passes=_passes(case, "n", "a"))


def _passes(case: FilterCase, node: str, test: str) -> str:
    """Return the SQL condition that a node passes a test; while a message is read, whatever follows."""
    passes = f"passes({node}.value, {node}.number, {test}.op, {test}.value, {test}.number)"
    if not (case.early and case.texts):
        return passes
    so_far = ", ".join(f"{node}.{column}" for column in ("so_far", "sign", "low", "high", "scaled"))
    return f"({passes} or passes_open({so_far}, {test}.op, {test}.value, {test}.number))"


def text_candidate(case: FilterCase) -> Step:
    """Return the step to candidates whose predicates on text hold, too."""
    return file_step("text_candidate", reused=case.branches, tables={"key_candidate": case.found_by_keys})


def candidate_asked(case: FilterCase) -> Step:
    """Return the step to candidates without the conditions that a tree search decides."""
    return file_step("candidate_asked", reused=case.branches, tables={"candidate": case.tested})


def branch_path(case: FilterCase) -> Step:
    """Return the step to the tag paths where branches of candidates may end."""
    return file_step("branch_path", reused=True, tables={"candidate": case.candidate})


def branch_row(case: FilterCase) -> Step:
    """Return the step to the nodes that branches of candidates reach."""
    return file_step("branch_row", reused=True, passes=_passes(case, "r", "p"))


def branch_match(case: FilterCase) -> Step:
    """Return the step to candidates whose branches meet in the same nodes (section 3.5), by SQL or BrPred."""
    return file_step("branch_match", "" if case.branches_in_sql else "function", tables={"candidate": case.candidate})


def matched(case: FilterCase) -> Step:
    """Return the step to messages and the queries they match."""
    reused = case.summary.nodes_bound or case.checked or bool(case.spilling)
    candidate = {"candidate": case.candidate}
    return file_step("matched", "" if case.branches else "unbranched", reused=reused, tables=candidate)


def notification(case: FilterCase) -> Step:
    """Return the step to notifications of filters, made distinct if a subscription has several queries."""
    output = _OF_CHECK if case.checked else _NO_OUTPUT
    if case.spilling:
        checks, held = (_CHECKS, "where x.check_id is null or h.check_id is not null") if case.checked else ("", "")
        return file_step("notification", "completed" if case.spilling == AFTER_SPILLING else "reduced",
                         checks=checks, held=held, output=output)
    tables = {"matched": "certain"} if case.early else None
    distinct = "distinct" if case.summary.alternatives else ""
    if case.narrowed:
        held = _SOME_HELD if case.checked else ""
        return file_step("notification", "visible", distinct=distinct, held=held, output=output)
    return file_step("notification", "" if not case.summary.checks else "unchecked" if case.early else "checked",
                     distinct=distinct, tables=tables)


def check_held(case: FilterCase) -> Step:
    """Return the step to the checks that hold in messages: SQL finds the candidates, lxml decides."""
    return file_step("check_held", "visible" if case.narrowed else "", function=CHECK)


def revocable(case: FilterCase) -> Step:
    """Return the step to queries that later nodes of a message can make false."""
    numbers = ", ".join(f"({number})" for number in range(1, max(case.summary.inner_points, 1) + 1))
    return file_step("revocable", numbers=numbers)


def truth(case: FilterCase) -> Pipeline:
    """Return the steps to the branches that hold at each node, deepest level first; repeated elements add no rows."""
    deepest, inner = case.summary.levels - 1, case.summary.inner_points
    return tuple(_level(case, level, inner if level < deepest else 0) for level in range(deepest, -1, -1))


def _level(case: FilterCase, level: int, inner_points: int) -> Step:
    """Return the step of one level; each branching point on a branch's way is looked up one level below."""
    numbers = range(1, inner_points + 1)
    joins = "\n  ".join(_join(f"truth_{level + 1}", number) for number in numbers)
    wanted = " ".join(f"and ({_holds(number)})" for number in numbers)
    opened, possible, first = _first(case, wanted, numbers)
    return file_step("truth", suffix=f"_{level}", reused=True, level=str(level), joins=joins, wanted=wanted,
                     opened=opened, possible=possible, first=first)


def _holds(number: int) -> str:
    """Return the SQL condition that a branching point on a branch's way has the bits it wants."""
    return (f"array_length(q.inner_at) < {number}"
            f" or coalesce(t{number}.bits, 0) = list_extract(q.inner_wants, {number})")


def _may_hold(number: int) -> str:
    """Return the SQL condition that an open branching point may get the bits it wants: it has those of attributes."""
    settled = f"coalesce(s{number}.bits, 0)"
    return f"o{number}.node is not null and (coalesce(t{number}.bits, 0) & {settled}) = {settled}"


def _first(case: FilterCase, wanted: str, numbers: range) -> tuple[str, str, str]:
    """Return how the first node of a branch is found, whose branching points have the bits they want.

    The texts are a join with open elements, a condition on nodes that may be the first, and one on all of them.

    While a message is read, a point that is still open may get its bits later. So all nodes that may be the first have
    to pass: those before the first that is certain, and that one.
    """
    if not case.early:
        return "", wanted, "min_by(r.passes, r.leaf)"
    opened = "\n  ".join(
        f"left join open_node as o{number} on o{number}.node = list_extract(r.nodes, q.context_at + {number})\n"
        f"  left join start_bits as s{number} on s{number}.query_id = r.query_id"
        f" and s{number}.point = list_extract(q.inner_points, {number})"
        for number in numbers)
    possible = " ".join(f"and ({_holds(number)} or {_may_hold(number)})" for number in numbers)
    first = (f"min(case when true {wanted} then r.leaf end)"
             " < coalesce(min(case when not r.passes then r.leaf end), 2147483647)")
    return opened, possible, first


def _join(truth: str, number: int) -> str:
    found = f"t{number}"
    return (f"left join {truth} as {found} on {found}.event_id = r.event_id and {found}.query_id = r.query_id"
            f" and {found}.point = list_extract(q.inner_points, {number})"
            f" and {found}.node = list_extract(r.nodes, q.context_at + {number})")
