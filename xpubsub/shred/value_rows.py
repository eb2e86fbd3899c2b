"""The rows of values that are computed from nodes: beside the rows of the nodes, as those of attributes would be."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from xpubsub.shred.node_rows import NodeRow

ValueColumns = tuple[int, str | None, str | None]
"""(tag path, value, value again if its number is needed)."""
_FIRST_ID = -(2**31)
"""Added to the id of a node it gives the id of its values: in the same order, and different from those of nodes."""
_LARGE = "9" * 400
"""A number that is read as infinity."""


def value_rows(node: NodeRow, values: Iterable[ValueColumns]) -> list[NodeRow]:
    """Return the rows of values of a node."""
    event, _, node_id, idpath, _, _ = node
    own = node_id + _FIRST_ID
    path = (*idpath, own)
    return [(event, tagpath_id, own, path, value, numeric) for tagpath_id, value, numeric in values]


def written_value(value: object) -> str:
    """Return a value as text; a number is written so that it is read as the same number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return str(value)
    if value != value or abs(value) == float("inf"):
        return "NaN" if value != value else _LARGE if value > 0 else f"-{_LARGE}"
    return format(Decimal(repr(value)), "f")
