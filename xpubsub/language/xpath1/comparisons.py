"""Comparisons of two paths: whether one holds is a value of the node that both paths start at.

`a[b != ../c]` becomes a step from `a` to the truth of `./b != ../c`. Each distinct comparison is decided once per node,
however many filters have it.
"""

from __future__ import annotations

from xpubsub.language.xpath.branches import DOCUMENT, linear_path
from xpubsub.language.xpath.normal import Hop
from xpubsub.language.xpath.syntax import Compare, Expr, Literal, NodeTest, Path, PathStep
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.reached import any_of, ways_to
from xpubsub.language.xpath1.steps import PARENT_STEP
from xpubsub.language.xpath1.tree import Location, Operation, Root, XPathTree

JOIN = "join"
"""Stands before the braces in the name of such a value: `=join{./b != ../c}`."""


def compared_paths(op: str, left: XPathTree, right: XPathTree, here: NodeTest | None) -> Expr:
    """Return a comparison of two node-sets at a node that passes a test (None: the document)."""
    pairs = [(one, other) for one in _sides(left, here) for other in _sides(right, here)]
    tests = [NodeTest("computed", JOIN, f"{one} {op} {other}") for one, other in pairs]
    return any_of([Compare("=", Path(False, (PathStep("child", test),)), Literal("true")) for test in tests])


def _sides(tree: XPathTree, here: NodeTest | None) -> list[str]:
    """Return the ways of a node-set as texts: `.`, `./a//b`, `../a`, `/a`; raises `Inexact` if they have predicates."""
    match tree:
        case Operation("|", parts):
            return [side for part in parts for side in _sides(part, here)]
        case Location(None, ()) if here is not None:
            return ["."]
        case Location(None, steps) if here is not None:
            up = next((place for place, step in enumerate(steps) if step != PARENT_STEP), len(steps))
            before = "/".join([".."] * up) if up else "."
            return [before + each for each in _below(Location(Root(), steps[up:]))]
        case Location(Root() | None, _):
            return _below(tree)
    raise Inexact


def _below(tree: Location) -> list[str]:
    """Return paths from a node down, as linear paths."""
    found = [way.path.steps for way in ways_to(tree, None, _refused) if not way.conditions]
    texts = [linear_path(tuple(Hop(step.axis, step.test) for step in steps)) for steps in found]
    if not texts or DOCUMENT in texts or any(step.axis == "self" for steps in found for step in steps):
        raise Inexact
    return texts


def _refused(tree: XPathTree, test: NodeTest | None) -> Expr:
    raise Inexact
