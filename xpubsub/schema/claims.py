"""Tells whether path tuples repeat and how they are ordered: Claims 1 to 5 of Diao & Franklin, section 4.1.

A path tuple has a node for each step; steps are numbered from 1, and 0 is the document. A claim that returns true holds
in all messages or, if it needs a schema, in all tag paths that conform to it. The paper considers only names. A step
like `*` selects several elements, which can be nested without a loop: what counts is whether a step *repeats*.
"""

from __future__ import annotations

from xpubsub.language.xpath.linear import LinearStep, linear_steps
from xpubsub.schema.element_graph import Schema, is_leaf

Steps = tuple[LinearStep, ...]


def claim_1(steps: Steps) -> bool:
    """At most one `//`: no two tuples have the same last node."""
    return sum(descends for descends, _ in steps) <= 1


def claim_2(steps: Steps, schema: Schema) -> bool:
    """No `//` step but the last one repeats: no two tuples have the same last node.

    Such a step can be bound to at most one ancestor of a node, which fixes the steps up to the next `//`.
    """
    descending = [name for descends, name in steps if descends]
    return not any(map(schema.repeats, descending[:-1]))


def claim_3(steps: Steps, i: int, schema: Schema | None) -> bool:
    """Neither the steps up to i nor those after it have duplicates: no two tuples have the same nodes i and last."""
    return _unique(steps[:i], schema) is not None and _unique(steps[i:], schema) is not None


def claim_4(steps: Steps, i: int) -> bool:
    """No `//` up to step i: in the order of their last nodes, tuples are in the order of node i."""
    return not any(descends for descends, _ in steps[:i])


def claim_5(steps: Steps, i: int, schema: Schema) -> bool:
    """No `//` step up to i is on the same loop as step i: tuples are in the order of node i.

    Otherwise one node i would contain another, below a `//` node that contains the other's `//` node. If all steps are
    names, the two are on one loop; with a `*` in between, each may be on its own loop.
    """
    return all(_apart(steps[j:i], schema) for j in range(i) if steps[j][0])


def _apart(steps: Steps, schema: Schema) -> bool:
    """Whether the first and the last of some steps cannot both be bound twice on the path to one node."""
    first, last = steps[0][1], steps[-1][1]
    if not any("*" in _local(name) or name == "node()" for _, name in steps):
        return not schema.on_same_loop(first, last)
    return not schema.repeats(first) or not schema.repeats(last)


def _local(name: str) -> str:
    """Return a name without its URI, which may contain any character."""
    return name.rpartition("}")[2]


def no_duplicates(steps: Steps, base: int, schema: Schema | None = None) -> str | None:
    """Name the claim by which no two tuples share their nodes at step `base` (0: document) and at the end; or None."""
    if base in (0, len(steps)):
        number = _unique(steps, schema)
        return None if number is None else f"claim {number}"
    before, after = _unique(steps[:base], schema), _unique(steps[base:], schema)
    return None if before is None or after is None else f"claim 3 by {before} and {after}"


def _unique(steps: Steps, schema: Schema | None) -> int | None:
    """Return the number of the claim by which the last nodes of tuples differ, or None."""
    if claim_1(steps):
        return 1
    return 2 if schema is not None and claim_2(steps, schema) else None


def in_order(steps: Steps, i: int, schema: Schema | None = None) -> str | None:
    """Name the claim by which tuples in the order of their last nodes are in the order of node i; or None."""
    if i == len(steps):
        return "the last step"
    if claim_4(steps, i):
        return "claim 4"
    return "claim 5" if schema is not None and claim_5(steps, i, schema) else None


def canonical(linear_path: str, schema: Schema) -> tuple[str, tuple[int, ...]]:
    """Return a linear path with superfluous `//` written out (section 5.1), and the new number of each step from 0.

    The same conforming tag paths match it.
    """
    text, numbers, before = "", [0], None
    for descends, name in linear_steps(linear_path):
        chain = _chain(before, name, schema) if descends else (name,)
        text += f"//{name}" if chain is None else "".join(f"/{each}" for each in chain)
        numbers.append(numbers[-1] + (1 if chain is None else len(chain)))
        before = name
    return text or linear_path, tuple(numbers)


def _chain(before: str | None, after: str, schema: Schema) -> tuple[str, ...] | None:
    """Return the names that a `//` between two names stands for, if there is only one way."""
    if before is not None and before not in schema.elements:
        return None
    if is_leaf(after):
        barren = before is not None and not schema.elements[before] and before not in schema.anything
        return (after,) if barren else None
    return schema.only_path(before, after) if after in schema.elements else None
