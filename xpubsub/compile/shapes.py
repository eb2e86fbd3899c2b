"""Templates: subscriptions that differ in their constants only are parsed once.

A text without its constants is a *shape*. A shape that comes a second time is compiled with marks in place of its
constants. If each mark ends up where only a constant can stand, the result is a template for every text of the shape.
Where the value of a constant changes how a text is compiled (a number as a truth value, a string compared as a number,
an empty string), the mark does not end up there, and such texts are compiled one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

from xpubsub.compile.row_types import BrinfoRow, CheckRow, PathRow, path_row
from xpubsub.compile.shape_advice import Constant, Constants, ShapeAdvice
from xpubsub.errors import Error
from xpubsub.ids import stable_id
from xpubsub.language.xpath.branches import Branch, Query
from xpubsub.language.xpath.normal import Test
from xpubsub.language.xpath.tokens import tokenize
from xpubsub.language.xpath1.computed import depends_on_constants
from xpubsub.match.brpred import ShapedBranch, encode_shape, shape_of
from xpubsub.match.uses import use_of

_CONSTANT = re.compile(r"""("[^"]*"|'[^']*'|[0-9](?<![\w.\-][0-9])[0-9]*(?:\.[0-9]*)?|\.(?<![\w.\-]\.)[0-9]+)""")
"""Each alternative starts with a different character, so that the search skips quickly to constants."""
Shape = tuple[object, ...]
"""For each conjunct, which constants are texts (a quote comes before any digit), and the text between them."""
_AND = " and "
_Conjunct = tuple[Shape, Constants, str, bool]
"""What stands between two `and`: its shape, its constants, its text, and whether it is a whole conjunct."""
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_SHAPE = itemgetter(0)
_REMEMBERED = 200_000
"""How many conjuncts are remembered at a time."""


class Shapes:
    """Takes the constants out of texts; conjuncts are cached, as many texts share them."""

    def __init__(self) -> None:
        self._known: dict[str, _Conjunct] = {}

    def take_out(self, text: str) -> tuple[Shape, Constants]:
        """Return the shape of a text and its constants, both of the text `in_order`."""
        found = self._conjuncts(text)
        if len(found) == 1:
            return found[0][:2]
        return tuple([shape for shape, *_ in found]), sum([constants for _, constants, *_ in found], ())

    def in_order(self, text: str) -> str:
        """Return a text with its conjuncts in the order of their shapes: `a and b` is `b and a`."""
        return _AND.join([part for _, _, part, _ in self._conjuncts(text)])

    def _conjuncts(self, text: str) -> list[_Conjunct]:
        known = self._known
        try:
            found = [known[part] for part in text.split(_AND)]
        except KeyError:
            found = self._learn(text)
        if all([whole for *_, whole in found]):
            found.sort(key=_SHAPE)
        return found

    def _learn(self, text: str) -> list[_Conjunct]:
        """Analyse the conjuncts, or the whole text if a string constant spans several."""
        parts = text.split(_AND)
        if any(part.count(quote) % 2 for part in parts for quote in "\"'"):
            return [(*_take_out(text), text, False)]
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        return [self._known.setdefault(part, (*_take_out(part), part, _is_whole(part))) for part in parts]


def _is_whole(part: str) -> bool:
    """Whether a part between two `and` is a conjunct: no bracket is open in it, and `or` does not divide it."""
    code = " ".join(_CONSTANT.split(part)[::2])
    return code.count("[") == code.count("]") and code.count("(") == code.count(")") and not _OR.search(code)


def _take_out(text: str) -> tuple[Shape, Constants]:
    parts = _CONSTANT.split(text)
    raw = parts[1::2]
    texts = tuple([each < "." for each in raw])
    return (texts, *parts[::2]), tuple([each[1:-1] if each < "." else float(each) for each in raw])


def marked(text: str, constants: Constants) -> tuple[str, Constants] | None:
    """Replace each constant by a mark; returns text and marks, or None if other tokens look like constants."""
    parts = _CONSTANT.split(text)
    if len(parts[1::2]) != len(constants):
        return None
    marks = tuple(_mark(number, each) for number, each in enumerate(constants))
    parts[1::2] = [_quoted(mark, raw) for mark, raw in zip(marks, parts[1::2], strict=True)]
    with_marks = "".join(parts)
    tokens = [token.text for token in tokenize(with_marks) if token.kind in ("literal", "number")]
    return (with_marks, marks) if tokens == parts[1::2] else None


def _mark(number: int, constant: Constant) -> Constant:
    """Return a mark; functions that change cases or spaces change it, so that it does not end up in its place."""
    return f"\ue000Aa  {number}\ue001" if isinstance(constant, str) else 1_000_003.5 + number


def _quoted(mark: Constant, raw: str) -> str:
    return f"{raw[0]}{mark}{raw[0]}" if isinstance(mark, str) else repr(mark)


@dataclass(frozen=True)
class QueryTemplate:
    """The rows of one query; a getter picks the constants of a column out of all constants of a text, and null."""

    text: str
    shown: Callable[[Sequence[object]], Any]
    checked: bool
    paths: list[int]
    ops: list[str]
    values: Callable[[Sequence[object]], Any]
    numbers: Callable[[Sequence[object]], Any]
    branches: dict[str, list[object]]
    branch_values: Callable[[Sequence[object]], Any]
    branch_numbers: Callable[[Sequence[object]], Any]
    shape: str
    want: int


@dataclass(frozen=True)
class ShapeTemplate:
    """All rows of a subscription without its constants; constants that have no mark belong to the template."""

    queries: tuple[QueryTemplate, ...]
    linear_paths: tuple[PathRow, ...]
    brinfos: tuple[BrinfoRow, ...]
    own: tuple[object, ...]
    turned: bool
    """Whether the template uses negated constants."""
    advice: ShapeAdvice | None = None
    """The warnings about texts of the shape, if any."""
    check: CheckRow | None = None
    """What lxml has to decide, if the queries are only necessary."""

    def constants(self, given: Constants) -> tuple[object, ...]:
        """Return what getters pick from: the constants, their negatives if used, the template's own, and null."""
        if not self.turned:
            return (*given, *self.own, None)
        return (*given, *(-each + 0.0 if isinstance(each, float) else None for each in given), *self.own, None)


class UnsafeShape(Error):
    """A mark did not end up where only a constant can stand."""


def shape_template(queries: Sequence[Query], marks: Constants = ()) -> ShapeTemplate:
    """Return the rows of queries, with the places of marks left open."""
    if marks and any(depends_on_constants(branch.linear_path) for query in queries for branch in query.branches):
        raise UnsafeShape("constants decide what is computed")
    places = _Places(marks, " ".join(query.text for query in queries))
    made = tuple(_query(query, places) for query in queries)
    places.check()
    uses: dict[str, int] = {}
    for query in queries:
        for branch in query.branches:
            uses[branch.linear_path] = uses.get(branch.linear_path, 0) | use_of(branch.test)
    paths = tuple(path_row(path, use) for path, use in uses.items())
    brinfos = {
        _brinfo_row(branch.linear_path, branch.brinfo): None
        for query in queries for branch in query.meeting
    }
    return ShapeTemplate(made, paths, tuple(brinfos), places.own, places.turned)


class _Places:
    """The place of each constant: marks by their number, other constants after them."""

    def __init__(self, marks: Constants, text: str) -> None:
        self._marks = marks
        self._own: dict[tuple[type, object], int] = {}
        self._found: set[object] = set()
        self.turned = any(isinstance(mark, float) and f"-{mark!r}" in text for mark in marks)

    @property
    def own(self) -> tuple[object, ...]:
        return tuple(constant for _, constant in self._own)

    def getter(self, constants: Sequence[object]) -> Callable[[Sequence[object]], Any]:
        """Return a function that picks these constants, as a tuple."""
        places = [self._place(each) for each in constants]
        if len(places) == 1:
            only = places[0]
            return lambda row: (row[only],)
        return itemgetter(*places) if places else lambda row: ()

    def _place(self, constant: object) -> int:
        if constant is None:
            return -1
        for place, mark in enumerate(self._marks):
            if constant == mark or (isinstance(mark, float) and constant == -mark):
                self._found.add(mark)
                return place if constant == mark else place + len(self._marks)
        return (1 + self.turned) * len(self._marks) + self._own.setdefault((type(constant), constant), len(self._own))

    def text(self, text: str) -> tuple[str, Callable[[Sequence[object]], Any]]:
        """Replace each mark in a text by `%s`; returns the text, and a getter of its marks in order."""
        escaped = text.replace("%", "%%")
        if not self._marks:
            return escaped, self.getter(())
        shown = {repr(mark): mark for mark in self._marks}
        longest_first = sorted(map(re.escape, shown), key=len, reverse=True)
        parts = re.split(f"({'|'.join(longest_first)})", escaped)
        return "%s".join(parts[::2]), self.getter([shown[each] for each in parts[1::2]])

    def check(self) -> None:
        """Raise `UnsafeShape` unless each mark was found, and nothing was derived from it."""
        if self._found != set(self._marks) or (self._marks and self._own):
            raise UnsafeShape("a constant decides about more than itself")


def _query(query: Query, places: _Places) -> QueryTemplate:
    necessary = dict.fromkeys((each.linear_path, _needed(each.test)) for each in query.branches if each.necessary)
    tests = [test for _, test in necessary]
    branches = query.meeting
    text, shown = places.text(query.text)
    shaped, wants = shape_of(branches)
    return QueryTemplate(
        text, shown, query.checked, [_path_id(path) for path, _ in necessary], [test.op for test in tests],
        *_getters(tests, places), _branch_columns(branches, shaped, wants),
        *_getters([branch.test for branch in branches], places),
        encode_shape(shaped, wants) if branches else "", wants[0],
    )


def _needed(test: Test) -> Test:
    """Return what one node has to pass: several of them are at least one."""
    return Test() if test.op == "at-least" else test


def _getters(tests: Sequence[Test], places: _Places) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return places.getter([test.value for test in tests]), places.getter([test.number for test in tests])


@lru_cache(_REMEMBERED)
def _path_id(linear_path: str) -> int:
    return stable_id(linear_path)


@lru_cache(_REMEMBERED)
def _brinfo_id(linear_path: str, brinfo: str) -> int:
    return stable_id(linear_path, brinfo)


def _brinfo_row(linear_path: str, brinfo: str) -> BrinfoRow:
    return BrinfoRow(linear_path, _path_id(linear_path), brinfo, _brinfo_id(linear_path, brinfo))


def _branch_columns(
    branches: Sequence[Branch], shaped: Sequence[ShapedBranch], wants: Mapping[int, int]
) -> dict[str, list[object]]:
    """Return the columns of a query's branches that do not depend on constants."""
    rows = list(zip(branches, shaped, strict=True))
    return {
        "branch": list(range(len(rows))),
        "linear_path_id": [_path_id(branch.linear_path) for branch, _ in rows],
        "brinfo_id": [_brinfo_id(branch.linear_path, branch.brinfo) for branch, _ in rows],
        "op": [branch.test.op for branch, _ in rows],
        "first_only": [branch.first for branch, _ in rows],
        "level": [shape.level for _, shape in rows], "context": [shape.context for _, shape in rows],
        "context_at": [shape.context_at for _, shape in rows], "bit": [shape.bit for _, shape in rows],
        "inner_at": [list(range(1, len(shape.inner) + 1)) for _, shape in rows],
        "inner_points": [list(shape.inner) for _, shape in rows],
        "inner_wants": [[wants[point] for point in shape.inner] for _, shape in rows],
    }
