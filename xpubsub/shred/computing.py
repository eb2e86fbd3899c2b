"""Computes values of nodes, such as `normalize-space(.)`, as rows of their own beside the nodes.

lxml computes each value once for a text and an expression, at an element that has the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from lxml import etree

from xpubsub.language.xpath.linear import COMPUTED, linear_steps
from xpubsub.language.xpath.syntax import unescaped
from xpubsub.language.xpath1.extensions import NAMESPACE, PREFIX
from xpubsub.language.xpath1.libxml import compiled_xpath
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.match.uses import NUMBER
from xpubsub.shred.node_rows import NodeRow

_FIRST_ID = -(2**31)
"""Added to the id of a node it gives the id of its values: in the same order, and different from those of nodes."""
_LARGE = "9" * 400
"""A number that is read as infinity."""
_LONG = 200
"""Values of longer texts are not remembered."""
_REMEMBERED = 50_000
"""How many values are remembered at a time."""


def computed_paths(linear_paths: Iterable[str]) -> list[str]:
    """Return the linear paths that end at computed values."""
    return [path for path in linear_paths if f"/{COMPUTED}{{" in path and linear_steps(path)[-1][1][0] == COMPUTED]


class ComputedStep:
    """The step from nodes at a tag path to values that are computed from them."""

    def __init__(self, name: str, tagpath_id: int, use: int) -> None:
        expression = unescaped(name[2:-1])
        namespaces = {PREFIX: NAMESPACE} if f"{PREFIX}:" in expression else {}
        self._xpath = compiled_xpath(expression, namespaces)
        self._tagpath_id = tagpath_id
        self._numeric = bool(use & NUMBER)
        self._known: dict[str, str] = {}

    def row(self, node: NodeRow, cell: etree._Element) -> NodeRow:
        """Return the row of the value of a node."""
        text = node[4] or ""
        value = self._known.get(text)
        if value is None:
            cell.text = text
            value = _written(self._xpath(cell))
            if len(text) <= _LONG:
                self._remember(text, value)
        return self._row(node, value, value if self._numeric else None)

    def open_row(self, node: NodeRow) -> NodeRow:
        """Return the row of the value of a node that has not ended, so that it is not known yet."""
        return self._row(node, None, None)

    def _row(self, node: NodeRow, value: str | None, numeric: str | None) -> NodeRow:
        event, _, node_id, idpath, _, _ = node
        own = node_id + _FIRST_ID
        return event, self._tagpath_id, own, (*idpath, own), value, numeric

    def _remember(self, text: str, value: str) -> None:
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[text] = value


class Computing:
    """The computed values that subscriptions need, by the tag paths of the nodes they are computed from."""

    def __init__(self, linear_paths: Iterable[str]) -> None:
        self.linear_paths = tuple(linear_paths)
        self._automaton = PathAutomaton(self.linear_paths)
        self._steps: dict[int, list[ComputedStep]] = {}
        self._unused: set[int] = set()

    def names(self, tagpath: str) -> list[str]:
        """Return the names of the values that are computed from nodes at a tag path."""
        return [name for name in self._automaton.children(tagpath) if name[0] == COMPUTED]

    def take(self, tagpath_id: int, steps: list[ComputedStep], *, used: bool) -> None:
        """Compute values of the nodes at a tag path; unless `used`, their own rows are not needed."""
        self._steps[tagpath_id] = steps
        if not used:
            self._unused.add(tagpath_id)

    def adding(self, add: Callable[[NodeRow], None]) -> Callable[[NodeRow], None]:
        """Return a function that adds the row of a node, and the rows of its values."""
        steps, unused, cell = self._steps, self._unused, etree.Element("a")

        def add_all(row: NodeRow) -> None:
            tagpath_id = row[1]
            if tagpath_id not in unused:
                add(row)
            for step in steps.get(tagpath_id, ()):
                add(step.row(row, cell))
        return add_all

    def open_rows(self, row: NodeRow) -> Iterator[NodeRow]:
        """Yield the rows of the values of a node that has not ended."""
        for step in self._steps.get(row[1], ()):
            yield step.open_row(row)


def _written(value: object) -> str:
    """Return a value as text; a number is written so that it is read as the same number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return str(value)
    if value != value or abs(value) == float("inf"):
        return "NaN" if value != value else _LARGE if value > 0 else f"-{_LARGE}"
    return format(Decimal(repr(value)), "f")
