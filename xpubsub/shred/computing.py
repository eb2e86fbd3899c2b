"""Computes values of nodes, such as `normalize-space(.)`, as rows of their own beside the nodes.

lxml computes each value once for a text and an expression, at an element that has the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lxml import etree

from xpubsub.ids import stable_id
from xpubsub.language.xpath.linear import COMPUTED, linear_steps
from xpubsub.language.xpath.syntax import unescaped
from xpubsub.language.xpath1.comparisons import JOIN
from xpubsub.language.xpath1.extensions import NAMESPACE, PREFIX
from xpubsub.language.xpath1.libxml import compiled_xpath
from xpubsub.language.xpath1.tree_values import TreeValue, is_tree_value
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.match.uses import EXISTS, NUMBER, VALUE
from xpubsub.shred.node_rows import NodeRow
from xpubsub.shred.path_comparisons import CollectedValues, ComparedPaths, PathComparison
from xpubsub.shred.tree_values import TreeRows, TreeStep, TreeSteps
from xpubsub.shred.value_rows import ValueColumns, value_rows, written_value

_OF_TEXT, _JOIN = f"{COMPUTED}{{", f"{COMPUTED}{JOIN}{{"
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
        expression = _inside(name)
        namespaces = {PREFIX: NAMESPACE} if f"{PREFIX}:" in expression else {}
        self._xpath = compiled_xpath(expression, namespaces)
        self._numeric = bool(use & NUMBER)
        self.tagpath_id = tagpath_id

    def value(self, cell: etree._Element) -> ValueColumns:
        """Return the value of a node whose text an element has."""
        value = written_value(self._xpath(cell))
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


@dataclass
class NodeActions:
    """What to do with the nodes at one tag path."""

    kept: bool = True
    """Whether their own rows are needed."""
    steps: ComputedSteps | None = None
    """Values that are computed from their text."""
    ends: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    """Paths of comparisons that end there, with the depths of the nodes they may start at."""
    compared: list[tuple[PathComparison, int]] = field(default_factory=list)
    """Comparisons of paths that start there."""
    trees: TreeSteps | None = None
    """Values that lxml computes from the tree around them."""
    needs: list[str] = field(default_factory=list)
    """Linear paths that lead there and that values of the document need."""


class Computing:
    """The computed values that subscriptions need, by the tag paths of the nodes they are computed from."""

    def __init__(self, linear_paths: Iterable[str]) -> None:
        self.linear_paths = tuple(linear_paths)
        self._automaton = PathAutomaton(self.linear_paths)
        names = {path: linear_steps(path)[-1][1] for path in self.linear_paths}
        self._joins = {name: PathComparison.of(_inside(name)) for name in names.values() if name.startswith(_JOIN)}
        self._joined = ComparedPaths(self._joins.values())
        trees = [name for name in names.values() if is_tree_value(name)]
        self._needed = PathAutomaton(need for name in trees for need in TreeValue.named(name).needs)
        self.actions: dict[int, NodeActions] = {}
        """By tag path."""
        self.of_messages = [path for path, name in names.items() if name in self._joins or is_tree_value(name)]
        """The linear paths to values that any part of a message may decide about."""

    def names(self, tagpath: str) -> list[str]:
        """Return the names of the values that are computed from nodes at a tag path."""
        return [name for name in self._automaton.children(tagpath) if name[0] == COMPUTED]

    def take(self, tagpath: str, use: int, use_of: Callable[[str], int]) -> int:
        """Prepare what is computed from the nodes at a tag path; returns what is needed of them."""
        around = tagpath.rstrip("/")
        names = {name: (stable_id(f"{around}/{name}"), use_of(f"{around}/{name}")) for name in self.names(tagpath)}
        steps = [ComputedStep(name, *each) for name, each in names.items() if name.startswith(_OF_TEXT)]
        trees = [TreeStep(name, *each) for name, each in names.items() if is_tree_value(name)]
        actions = NodeActions(
            kept=bool(use), steps=ComputedSteps(steps) if steps else None, ends=self._joined.ends(tagpath),
            compared=[(self._joins[name], place) for name, (place, _) in names.items() if name in self._joins],
            trees=TreeSteps(tagpath, trees) if trees else None, needs=self._needed.matches(tagpath))
        of_value = bool(actions.steps or actions.ends or actions.compared)
        if not (of_value or trees or actions.needs):
            return 0
        self.actions[stable_id(tagpath)] = actions
        return EXISTS | VALUE if of_value else EXISTS

    def open_rows(self, row: NodeRow) -> list[NodeRow]:
        """Return the rows of the values of a node that has not ended."""
        actions = self.actions.get(row[1])
        return [] if actions is None or actions.steps is None else value_rows(row, actions.steps.open_values())


class ComputedRows:
    """Adds the rows of nodes, and of what is computed from them, message by message."""

    def __init__(self, computing: Computing, add: Callable[[NodeRow], None]) -> None:
        self._actions = computing.actions
        self._add = add
        self._cell = etree.Element("a")
        self._collected = CollectedValues()
        self._contexts: list[NodeRow] = []
        self._trees = TreeRows()

    def begin(self) -> None:
        """Start a message."""
        self._collected.clear()
        self._contexts.clear()
        self._trees.clear()

    def add(self, row: NodeRow) -> None:
        """Add the row of a node, and those of its values."""
        actions = self._actions.get(row[1])
        if actions is None:
            self._add(row)
            return
        if actions.kept:
            self._add(row)
        if actions.steps is not None:
            for each in value_rows(row, actions.steps.values(row[4] or "", self._cell)):
                self._add(each)
        if actions.ends:
            self._collected.add(row, actions.ends)
        if actions.compared:
            self._contexts.append(row)
        if actions.needs:
            self._trees.reach(actions.needs)
        if actions.trees is not None:
            self._trees.add(row, actions.trees)

    def finish(self, xml: object) -> None:
        """Add what depends on the whole message: comparisons of paths, and what lxml computes from its tree."""
        for row in self._contexts:
            truths = [(place, self._collected.holds(join, row)) for join, place in self._actions[row[1]].compared]
            for each in value_rows(row, [(place, "true" if holds else "false", None) for place, holds in truths]):
                self._add(each)
        for each in self._trees.rows(xml):
            self._add(each)
        self.begin()


def _inside(name: str) -> str:
    """Return what stands in the braces of a name."""
    return unescaped(name.partition("{")[2][:-1])
