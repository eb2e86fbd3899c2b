"""Values that need the tree around a node: lxml computes them once per message and node, whoever asks for them.

`//a[following-sibling::b = 5]` becomes a step from `a` to the values of `following-sibling::b`, and `sum(//a) > 3` a
step from the document to the sum. Constants that a value is compared with stay outside, so that filters share values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote

from xpubsub.language.xpath.branches import linear_path
from xpubsub.language.xpath.linear import COMPUTED
from xpubsub.language.xpath.normal import Hop
from xpubsub.language.xpath.syntax import And, Expr, NodeTest, Path, PathStep, unescaped
from xpubsub.language.xpath1.constants import node_sets
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.libxml import LxmlText
from xpubsub.language.xpath1.shared import at_document, is_shared, is_small, may_select_document
from xpubsub.language.xpath1.trails import Trail, chains
from xpubsub.language.xpath1.tree import XPathTree, type_of

TREE = "tree"
"""Stands before the braces in the name of such a value: `=tree{|sum(//a)}`."""
MOST_WRITTEN = 2000
"""How many characters the name of a value may have; longer ones are left to lxml."""
_PLAIN = "/:@*{}()=.,;?&+$!~#"
"""What is not escaped in namespaces and paths; `|` and spaces are."""


@dataclass(frozen=True)
class TreeValue:
    """An expression for lxml, with its namespaces by prefix.

    - `needs`: linear paths, of which one leads to a node wherever a value of the document is not that of no nodes.
    """

    expression: str
    namespaces: Mapping[str, str]
    needs: tuple[str, ...] = ()

    @classmethod
    def named(cls, name: str) -> TreeValue:
        """Read the name of a step."""
        head, _, expression = unescaped(name.partition("{")[2][:-1]).partition("|")
        items = [unquote(each) for each in head.split(" ") if each]
        pairs = [item.partition("=") for item in items if item[0] != "/"]
        needs = tuple(item for item in items if item[0] == "/")
        return cls(expression, {prefix: uri for prefix, _, uri in pairs}, needs)

    @property
    def step(self) -> PathStep:
        """The step from a node to the value."""
        items = [*(f"{prefix}={uri}" for prefix, uri in self.namespaces.items()), *self.needs]
        text = "|".join([" ".join(quote(item, _PLAIN) for item in items), self.expression])
        if len(text) > MOST_WRITTEN:
            raise Inexact
        return PathStep("child", NodeTest("computed", TREE, text))


@lru_cache(maxsize=4096)
def is_tree_value(name: str) -> bool:
    """Whether a step of a linear path leads to such a value."""
    return name.startswith(f"{COMPUTED}{TREE}{{")


def tree_value(tree: XPathTree, here: NodeTest | None) -> Path:
    """Return the path from a node that passes a test (None: the document) to what an expression is there.

    A node-set has a value for each node; raises `Inexact` if filters could not share it, or if it took much room.
    """
    if here is not None and (here.kind != "element" or not is_small(tree)):
        raise Inexact
    if not is_shared(tree) or (type_of(tree) == "nodes" and may_select_document(tree)):
        raise Inexact
    writer = LxmlText()
    written = writer.write(tree if here is not None else at_document(tree))
    needs = () if here is not None else _needs(tree)
    return Path(here is None, (TreeValue(written, writer.namespaces, needs).step,))


def _needs(tree: XPathTree) -> tuple[str, ...]:
    """Return the linear paths of which one leads to a node if not all node-sets are empty."""
    found: dict[str, None] = {}
    for nodes in node_sets(tree):
        for start, steps in chains(nodes):
            trail = Trail.at(start, None, lambda tree, at: None)
            for step in steps:
                trail = trail.after(step)
            found |= dict.fromkeys(_some_path(trail.condition(lambda path: path)))
    if not found:
        raise Inexact
    return tuple(found)


def _some_path(condition: Expr | None) -> list[str]:
    """Return a path that must lead to a node if a condition holds; none if it never holds."""
    parts = condition.parts if isinstance(condition, And) else () if condition is None else (condition,)
    if any(not isinstance(part, Path) for part in parts):
        return []
    paths = [part for part in parts if isinstance(part, Path) and part.steps]
    if not paths:
        raise Inexact
    longest = max(paths, key=lambda path: len(path.steps))
    return [linear_path(tuple(Hop(step.axis, step.test) for step in longest.steps))]
