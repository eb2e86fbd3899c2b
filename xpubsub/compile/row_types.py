"""The rows of compiled subscriptions, as named tuples: a field is filled by name, and has the name of its column.

Columns that all rows of a subscription have in common, such as its row number, are put in front when collecting.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from xpubsub.ids import stable_id
from xpubsub.match.linear_paths import pieces
from xpubsub.output.templates import brinfo_of, returned_id

_REMEMBERED = 100_000
"""How many rows of linear paths are remembered at a time."""


class PathRow(NamedTuple):
    """A linear path, with a use of its nodes."""

    linear_path: str
    id: int
    prefix: str
    postfix: str
    middle: str | None
    node_use: int


class BrinfoRow(NamedTuple):
    """An annotated linear path."""

    linear_path: str
    linear_path_id: int
    brinfo: str
    brinfo_id: int


class StepRow(NamedTuple):
    """A step that binds a variable of a transformation."""

    step: int
    block: int
    parent: int
    after: int
    depth: int
    place: int
    linear_path_id: int
    brinfo_id: int
    base_at: int
    hidden: bool
    last: bool
    outermost: bool
    found_by: int | None


class ConditionRow(NamedTuple):
    """A condition on the nodes that a step binds."""

    step: int
    query_id: int
    looks_at: int
    negated: bool


class ReturnRow(NamedTuple):
    """A path whose nodes an output template copies."""

    linear_path_id: int
    brinfo_id: int


class ValueRow(NamedTuple):
    """A path whose nodes' values an output template reads; `named`, whether it reads their names too."""

    linear_path_id: int
    named: bool


class RepeatRow(NamedTuple):
    """A path along which the tuples of a block may repeat."""

    block: int
    linear_path_id: int | None
    base: int


class TransformationRow(NamedTuple):
    """A transformation, with its output template."""

    canonical: str
    template_id: int
    template: str


class CorrelationRow(NamedTuple):
    """A correlation: as a member of its join template, and the parts of its output."""

    canonical: str
    join_template_id: int
    join_template: str
    vars: list[int]
    windows: list[float]
    followed: list[bool]
    reach: float
    mentioned: list[int]
    blocks: list[int]
    publish: str | None
    template_id: int
    template: str


class JoinEdgeRow(NamedTuple):
    """An edge of a correlation's patterns."""

    stream: str
    var1: int
    var2: int
    linear_path_id: int
    brinfo_id: int


class JoinPairRow(NamedTuple):
    """A comparison of two variables in a correlation."""

    op: str
    var_left: int
    var_right: int


class JoinHopRow(NamedTuple):
    """A step from a joined node to a node that the output mentions."""

    place: int
    from_at: int
    upward: bool
    block: int
    var1: int
    var2: int


class JoinPartRow(NamedTuple):
    """A node (without a path) or a path that an output template of correlations copies."""

    place: int
    linear_path_id: int | None
    brinfo_id: int | None


class VariableConditionRow(NamedTuple):
    """A condition on the nodes of a variable."""

    var: int
    alternative: int
    query_id: int
    negated: bool


class RefusalRow(NamedTuple):
    """A refused subscription, with the reason and the place of the error."""

    subscription_id: str | None
    code: str
    reason: str
    line: int | None = None
    column: int | None = None
    caret: str | None = None


class BranchpointRow(NamedTuple):
    """A query whose branches must be checked together."""

    query_id: int
    branchpoint_info: list[object]
    shape: str
    want: int


class CheckRow(NamedTuple):
    """What lxml decides about a subscription whose queries are only necessary, and the way it goes."""

    check_id: int
    expression: str
    namespaces: str
    way: str


class PartRow(NamedTuple):
    """A query that serves as a condition, and the bits it wants at its node; None if it is on the whole message."""

    query_id: int
    want: int | None


_ROW, _TRANSFORMATION, _CORRELATION = ("row_no",), ("row_no", "transformation_id"), ("row_no", "correlation_id")
COLUMNS = {
    "refused": (*_ROW, *RefusalRow._fields), "compiled_warning": (*_ROW, "subscription_id", "warning", "count"),
    "compiled_check": (*_ROW, *CheckRow._fields),
    "compiled_path": PathRow._fields, "compiled_brinfo": BrinfoRow._fields,
    "compiled_branchpoint": (*_ROW, *BranchpointRow._fields), "compiled_part": (*_ROW, *PartRow._fields),
    "compiled_transformation": (*_TRANSFORMATION, *TransformationRow._fields),
    "compiled_step": (*_TRANSFORMATION, *StepRow._fields),
    "compiled_condition": (*_TRANSFORMATION, *ConditionRow._fields),
    "compiled_return": ("template_id", *ReturnRow._fields),
    "compiled_value": ("template_id", *ValueRow._fields),
    "compiled_repeat": (*_TRANSFORMATION, *RepeatRow._fields),
    "compiled_correlation": (*_CORRELATION, *CorrelationRow._fields),
    "compiled_join_edge": (*_CORRELATION, *JoinEdgeRow._fields),
    "compiled_join_pair": (*_CORRELATION, *JoinPairRow._fields),
    "compiled_join_hop": (*_CORRELATION, *JoinHopRow._fields),
    "compiled_join_copy": (*_CORRELATION, "linear_path_id"),
    "compiled_join_part": ("template_id", *JoinPartRow._fields),
    "compiled_variable_condition": VariableConditionRow._fields,
}
"""The columns of the tables that are collected row by row, in the order of the rows' values."""


@lru_cache(_REMEMBERED)
def path_row(linear_path: str, use: int) -> PathRow:
    """Return the row of a linear path."""
    return PathRow(linear_path, stable_id(linear_path), *pieces(linear_path), node_use=use)


def based_row(linear_path: str, base: int) -> BrinfoRow:
    """Return the row of a linear path that is annotated with the step at which its base stands."""
    return BrinfoRow(linear_path, stable_id(linear_path), brinfo_of(base), returned_id(linear_path, base))
