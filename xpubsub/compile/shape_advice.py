"""Finds the warnings about all texts of a shape once, and which constants decide about further warnings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xpubsub.language.advice.one_node import Fact, clash
from xpubsub.language.advice.subscriptions import Adviser
from xpubsub.language.xpath.normal import Disjunction, Test
from xpubsub.language.xpath.syntax import Expr

Constant = str | float
Constants = tuple[Constant, ...]
Watch = Callable[[Constants], bool]
"""Whether the facts about one node may contradict each other, given the constants of a text."""
_LOW, _HIGH = (">", ">="), ("<", "<=")


@dataclass(frozen=True)
class ShapeAdvice:
    """The warnings about texts of one shape."""

    names: tuple[str, ...] = ()
    """The warnings that do not depend on constants."""
    watches: tuple[Watch, ...] = ()
    opposed: bool = False
    """Whether equal constants may contradict each other."""
    always: bool = False
    """Whether each text must be checked on its own."""

    def depends(self, constants: Constants) -> bool:
        """Whether a text with these constants must be checked on its own."""
        if self.always or (self.opposed and len(set(constants)) < len(constants)):
            return True
        return any(watch(constants) for watch in self.watches)


def shape_advice(
    adviser: Adviser, tree: Expr, normal: Disjunction, text: str, marks: Constants
) -> ShapeAdvice | None:
    """Return the warnings about a shape, given a text with marks for its constants; None if there are none."""
    names, ways = tuple(adviser.names(tree)), adviser.ways(tree, normal, text)
    always = any(nodes.impossible for nodes in ways)
    groups = {tuple(group): None for nodes in ways for group in nodes.groups()}
    watches = tuple(watch for group in groups if (watch := _watch(group, marks)))
    opposed = any(nodes.opposed for nodes in ways)
    found = ShapeAdvice(names, watches, opposed, always)
    return found if names or watches or opposed or always else None


def _watch(group: Sequence[Fact], marks: Constants) -> Watch | None:
    """Return a function that checks the facts about one node; None if they agree whatever the constants are."""
    if not all(fact.test.op in (*_LOW, *_HIGH) and not fact.negated for fact in group):
        return lambda constants: clash([_filled(fact, marks, constants) for fact in group]) is not None
    lows, highs = ([fact for fact in group if fact.test.op in ops] for ops in (_LOW, _HIGH))
    if not lows or not highs:
        return None
    picked = [[_number(fact, marks) for fact in facts] for facts in (lows, highs)]
    return lambda constants: max(pick(constants) for pick in picked[0]) >= min(pick(constants) for pick in picked[1])


def _number(fact: Fact, marks: Constants) -> Callable[[Constants], float]:
    """Return a function that picks the number of a fact out of constants."""
    number = fact.test.number or 0.0
    place, sign = (marks.index(number), 1.0) if number in marks else (marks.index(-number), -1.0)
    return lambda constants: sign * constants[place]  # type: ignore[operator]


def _filled(fact: Fact, marks: Constants, constants: Constants) -> Fact:
    """Replace the marks in a fact by constants."""
    if fact.test.value is not None:
        return replace(fact, test=Test(fact.test.op, str(constants[marks.index(fact.test.value)])))
    if fact.test.number is None:
        return fact
    return replace(fact, test=Test(fact.test.op, number=_number(fact, marks)(constants)))
