"""Computes values of nodes, such as `normalize-space(.)`, as rows of their own beside the nodes.

lxml computes each value once for a text and an expression, at an element that has the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal

from lxml import etree

from xpubsub.ids import stable_id
from xpubsub.language.xpath.linear import COMPUTED, linear_steps
from xpubsub.language.xpath.syntax import unescaped
from xpubsub.language.xpath1.comparisons import JOIN
from xpubsub.language.xpath1.extensions import NAMESPACE, PREFIX
from xpubsub.language.xpath1.libxml import compiled_xpath
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.match.uses import EXISTS, NUMBER, VALUE
from xpubsub.shred.node_rows import NodeRow
from xpubsub.shred.path_comparisons import CollectedValues, ComparedPaths, PathComparison

ValueColumns = tuple[int, str | None, str | None]
"""(tag path, value, value again if its number is needed)."""
_JOIN = f"{COMPUTED}{JOIN}{{"
_FIRST_ID = -(2**31)
"""Added to the id of a node it gives the id of its values: in the same order, and different from those of nodes."""
_LARGE = "9" * 400
"""A number that is read as infinity."""
_LONG = 200
"""Values of longer texts are not remembered."""
_REMEMBERED = 200_000
"""How many values are remembered at a time."""


def computed_paths(linear_paths: Iterable[str]) -> list[str]:
    """Return the linear paths that end at computed values."""
    return [path for path in linear_paths if f"/{COMPUTED}" in path and linear_steps(path)[-1][1][0] == COMPUTED]


class ComputedStep:
    """The step from nodes at a tag path to values that are computed from them."""

    def __init__(self, name: str, tagpath_id: int, use: int) -> None:
        expression = "." if name.startswith(_JOIN) else _inside(name)
        namespaces = {PREFIX: NAMESPACE} if f"{PREFIX}:" in expression else {}
        self._xpath = compiled_xpath(expression, namespaces)
        self._numeric = bool(use & NUMBER)
        self.tagpath_id = tagpath_id

    def value(self, cell: etree._Element) -> ValueColumns:
        """Return the value of a node whose text an element has."""
        value = _written(self._xpath(cell))
        return self.tagpath_id, value, value if self._numeric else None


class ComputedSteps:
    """The steps from nodes at one tag path; the values of short texts are remembered."""

    def __init__(self, steps: list[ComputedStep]) -> None:
        self._steps = steps
        self._known: dict[str, list[ValueColumns]] = {}

    def values(self, text: str, cell: etree._Element) -> list[ValueColumns]:
        """Return all values of a node with a text."""
        found = self._known.get(text)
        if found is None:
            cell.text = text
            found = [step.value(cell) for step in self._steps]
            if len(text) <= _LONG:
                self._remember(text, found)
        return found

    def open_values(self) -> list[ValueColumns]:
        """Return the values of a node that has not ended: they are not known yet."""
        return [(step.tagpath_id, None, None) for step in self._steps]

    def _remember(self, text: str, found: list[ValueColumns]) -> None:
        if len(self._known) * len(self._steps) >= _REMEMBERED:
            self._known.clear()
        self._known[text] = found


def value_rows(node: NodeRow, values: Iterable[ValueColumns]) -> list[NodeRow]:
    """Return the rows of values of a node."""
    event, _, node_id, idpath, _, _ = node
    own = node_id + _FIRST_ID
    path = (*idpath, own)
    return [(event, tagpath_id, own, path, value, numeric) for tagpath_id, value, numeric in values]


class Computing:
    """The computed values that subscriptions need, by the tag paths of the nodes they are computed from."""

    def __init__(self, linear_paths: Iterable[str]) -> None:
        self.linear_paths = tuple(linear_paths)
        self._automaton = PathAutomaton(self.linear_paths)
        joins = {name: PathComparison.of(_inside(name)) for path in self.linear_paths
                 if (name := linear_steps(path)[-1][1]).startswith(_JOIN)}
        self._joins = joins
        self._joined = ComparedPaths(joins.values())
        self.steps: dict[int, ComputedSteps] = {}
        self.compared: dict[int, list[tuple[PathComparison, int]]] = {}
        """Comparisons, by the tag paths of the nodes that their paths start at."""
        self.ends: dict[int, list[tuple[str, tuple[int, ...]]]] = {}
        """Paths of comparisons by the tag paths at which they end, with the depths of the nodes they may start at."""
        self.unused: set[int] = set()
        """The tag paths of nodes whose own rows are not needed."""

    @property
    def compared_paths(self) -> list[str]:
        """The linear paths that end at comparisons of two paths: any part of a message may decide about them."""
        return [path for path in self.linear_paths if linear_steps(path)[-1][1] in self._joins]

    def names(self, tagpath: str) -> list[str]:
        """Return the names of the values that are computed from nodes at a tag path."""
        return [name for name in self._automaton.children(tagpath) if name[0] == COMPUTED]

    def take(self, tagpath: str, use: int, use_of: Callable[[str], int]) -> int:
        """Prepare what is computed from the nodes at a tag path; returns what is needed of them."""
        tagpath_id, around = stable_id(tagpath), tagpath.rstrip("/")
        paths = {name: f"{around}/{name}" for name in self.names(tagpath)}
        steps = {name: ComputedStep(name, stable_id(path), use_of(path)) for name, path in paths.items()}
        ends = self._joined.ends(tagpath)
        if not steps and not ends:
            return 0
        computed = [step for name, step in steps.items() if name not in self._joins]
        compared = [(self._joins[name], step.tagpath_id) for name, step in steps.items() if name in self._joins]
        if computed:
            self.steps[tagpath_id] = ComputedSteps(computed)
        if compared:
            self.compared[tagpath_id] = compared
        if ends:
            self.ends[tagpath_id] = ends
        if not use:
            self.unused.add(tagpath_id)
        return EXISTS | VALUE

    def open_rows(self, row: NodeRow) -> list[NodeRow]:
        """Return the rows of the values of a node that has not ended."""
        steps = self.steps.get(row[1])
        return [] if steps is None else value_rows(row, steps.open_values())


class ComputedRows:
    """Adds the rows of nodes, and of what is computed from them, message by message."""

    def __init__(self, computing: Computing, add: Callable[[NodeRow], None]) -> None:
        self._computing = computing
        self._add = add
        self._cell = etree.Element("a")
        self._collected = CollectedValues()
        self._contexts: list[NodeRow] = []

    def begin(self) -> None:
        """Start a message."""
        self._collected.clear()
        self._contexts.clear()

    def add(self, row: NodeRow) -> None:
        """Add the row of a node, and those of its values."""
        computing, tagpath_id = self._computing, row[1]
        if tagpath_id not in computing.unused:
            self._add(row)
        if (steps := computing.steps.get(tagpath_id)) is not None:
            for each in value_rows(row, steps.values(row[4] or "", self._cell)):
                self._add(each)
        if (ends := computing.ends.get(tagpath_id)) is not None:
            self._collected.add(row, ends)
        if tagpath_id in computing.compared:
            self._contexts.append(row)

    def finish(self) -> None:
        """Add the comparisons of paths, which look at the whole message."""
        for row in self._contexts:
            compared = self._computing.compared[row[1]]
            truths = [(tagpath_id, self._collected.holds(join, row)) for join, tagpath_id in compared]
            for each in value_rows(row, [(place, "true" if holds else "false", None) for place, holds in truths]):
                self._add(each)
        self.begin()


def _inside(name: str) -> str:
    """Return what stands in the braces of a name."""
    return unescaped(name.partition("{")[2][:-1])


def _written(value: object) -> str:
    """Return a value as text; a number is written so that it is read as the same number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return str(value)
    if value != value or abs(value) == float("inf"):
        return "NaN" if value != value else _LARGE if value > 0 else f"-{_LARGE}"
    return format(Decimal(repr(value)), "f")
