"""Warns about subscriptions that are accepted, but probably not what the subscriber means.

*Can never match* and *matches every message* are certain: the conditions, or their negation, contradict each other
whatever the message is. The other warnings are guesses, made only where a correct subscription rarely looks the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xpubsub.errors import LimitError
from xpubsub.language.advice.contradictions import MentionedNodes, conjoined, contradiction
from xpubsub.language.advice.names import PrefixCheck, all_namespaces, file_name
from xpubsub.language.advice.order import ALWAYS_FALSE, content_expressions, correlation_expressions, explanations
from xpubsub.language.advice.transformations import BarrenFlwrs
from xpubsub.language.flwr.syntax import Transformation
from xpubsub.language.xpath.normal import Disjunction, Normalizer
from xpubsub.language.xpath.syntax import Expr, Not, Path, PathStep
from xpubsub.language.xpath.written import Written
from xpubsub.language.xscl.syntax import Correlation, Pattern
from xpubsub.limits import Limits


class Adviser:
    """Warns about the subscriptions of one call."""

    def __init__(self, namespaces: Mapping[str, str], limits: Limits) -> None:
        self._namespaces = namespaces
        self._limits = limits
        self.written = Written(namespaces)

    def filter(self, tree: Expr, text: str, normal: Disjunction) -> list[str]:
        """Return the warnings about a filter, given its tree and normal form."""
        ordered = self._ordered((tree,))
        verdict = list(self._verdict(tree, text, normal, ordered))
        return [*verdict, *(() if verdict else _by_order(ordered)), *self.names(tree)]

    def names(self, tree: Expr) -> list[str]:
        """Return the warnings that depend only on a filter's names, not on its constants."""
        check = PrefixCheck(self.written)
        check.expression(tree)
        return [*file_name(tree, self.written), *check.warnings()]

    def ways(self, tree: Expr, normal: Disjunction, text: str) -> list[MentionedNodes]:
        """Return the nodes of each conjunction of a filter's normal form, and of its negation where that may matter."""
        opposite = self._conjoined(Normalizer(text, self._limits), Not(tree)) if may_be_always(normal) else None
        return [*conjoined(normal, self.written), *(opposite or ())]

    def transformation(self, tree: Transformation, text: str) -> list[str]:
        """Return the warnings about a transformation."""
        declared = Adviser(all_namespaces(self._namespaces, tree.namespaces), self._limits) if tree.namespaces else self
        check = PrefixCheck(declared.written)
        check.content(tree.result)
        ordered = declared._ordered(content_expressions(tree.result))
        barren = list(BarrenFlwrs(text, self._limits, declared.written).warnings(tree.result))
        told = [each for each in _by_order(ordered) if not any(each.partition(": ")[2] in known for known in barren)]
        return [*barren, *told, *check.warnings()]

    def correlation(self, tree: Correlation, text: str) -> list[str]:
        """Return the warnings about a correlation."""
        check = PrefixCheck(self.written)
        check.correlation(tree)
        normal = Normalizer(text, self._limits)
        reasons = [self._never(_path(block.steps), normal) for block in tree.blocks]
        reasons += ["no message follows another within a window of 0"
                    for each in tree.operators if each.kind == "followed by" and not each.window]
        never = [f"can never match: {reason}" for reason in reasons if reason][:1]
        ordered = self._ordered(correlation_expressions(tree))
        return [*never, *(() if never else _by_order(ordered)), *check.warnings()]

    def _verdict(self, tree: Expr, text: str, normal: Disjunction, ordered: list[str]) -> Iterator[str]:
        never = self._contradiction(tree, conjoined(normal, self.written))
        if never:
            yield f"can never match: {never}"
        elif not isinstance(tree, Path) and may_be_always(normal):
            always = self._never(Not(tree), Normalizer(text, self._limits))
            reason = "its conditions are always true" if always == ALWAYS_FALSE else f"the opposite cannot be: {always}"
            yield from [f"matches every message: {ordered[0] if ordered else reason}"] if always else ()

    def _never(self, tree: Expr, normal: Normalizer) -> str | None:
        """Return why an expression is true of no message, or None."""
        ways = self._conjoined(normal, tree)
        return None if ways is None else self._contradiction(tree, ways)

    def _contradiction(self, tree: Expr, ways: list[MentionedNodes]) -> str | None:
        return contradiction(ways) if ways else next(iter(self._ordered((tree,))), ALWAYS_FALSE)

    def _conjoined(self, normal: Normalizer, tree: Expr) -> list[MentionedNodes] | None:
        """Return the nodes of each conjunction of an expression; None if there are too many."""
        try:
            return conjoined(normal.boolean(tree), self.written)
        except LimitError:
            return None

    def _ordered(self, expressions: Iterable[Expr]) -> list[str]:
        return explanations(expressions, self.written)


def may_be_always(normal: Disjunction) -> bool:
    """Whether an expression may be true of every message: one that only requires nodes is not."""
    return any(not conjunction or any(item.negated or not item.hops for item in conjunction) for conjunction in normal)


def _by_order(ordered: list[str]) -> list[str]:
    return [f"compares text by order: {each}" for each in ordered]


def _path(steps: Pattern) -> Path:
    """Return a block, or a pattern of one, as a path."""
    return Path(False, tuple(
        PathStep(each.axis, each.test, (*map(_path, each.patterns), *each.predicates)) for each in steps))
