"""Finds FLWRs that never have a result: their bindings and conditions contradict each other, or those around them."""

from __future__ import annotations

from collections.abc import Iterator

from xpubsub.errors import LimitError
from xpubsub.language.advice.contradictions import MentionedNodes, contradiction
from xpubsub.language.advice.order import ALWAYS_FALSE, explanations
from xpubsub.language.flwr.syntax import Content, Element, Flwr, Sequence
from xpubsub.language.xpath.normal import TRUE, Conjunction, Disjunction, Normalizer
from xpubsub.language.xpath.written import Written
from xpubsub.limits import Limits

Part = tuple[str | None, Disjunction]
"""A part of a FLWR in normal form: a variable with the ways to its nodes, or (None) a condition."""


class BarrenFlwrs:
    """Checks one transformation."""

    def __init__(self, text: str, limits: Limits, written: Written) -> None:
        self._normal = Normalizer(text, limits)
        self._written = written

    def warnings(self, result: Content) -> Iterator[str]:
        """Yield one warning for the whole transformation, or one for each FLWR that never has a result."""
        outermost = [(each, self._parts(each)) for each in _flwrs(result)]
        reasons = [self._reason(*each) for each in outermost]
        if reasons and all(reasons):
            yield f"can never match: {reasons[0]}"
            return
        for each, reason in zip(outermost, reasons, strict=True):
            yield from self._look(*each, reason)

    def _look(self, flwr: Flwr, parts: list[Part], reason: str | None) -> Iterator[str]:
        if reason is not None:
            yield f"`for ${flwr.bindings[0].variable}` can never give anything: {reason}"
            return
        for each in _flwrs(flwr.result):
            inside = [*parts, *self._parts(each)]
            yield from self._look(each, inside, self._reason(each, inside))

    def _parts(self, flwr: Flwr) -> list[Part]:
        where = TRUE if flwr.where is None else self._normal.boolean(flwr.where)
        return [*((each.variable, self._normal.selected(each.path)) for each in flwr.bindings), (None, where)]

    def _reason(self, flwr: Flwr, parts: list[Part]) -> str | None:
        """Return why the parts cannot all hold, or None."""
        try:
            ways = self._normal.product([ways for _, ways in parts])
        except LimitError:
            return None
        if not ways:
            own = [*(binding.path for binding in flwr.bindings), *([] if flwr.where is None else [flwr.where])]
            return next(iter(explanations(own, self._written)), ALWAYS_FALSE)
        return contradiction(self._nodes([name for name, _ in parts], way) for way in ways)

    def _nodes(self, names: list[str | None], way: tuple[Conjunction, ...]) -> MentionedNodes:
        nodes = MentionedNodes(self._written)
        for name, conjunction in zip(names, way, strict=True):
            if name is not None:
                nodes.variables[name] = nodes.item(conjunction[0])
            nodes.conjunction(conjunction if name is None else conjunction[1:])
        return nodes


def _flwrs(content: Content) -> Iterator[Flwr]:
    """Yield the outermost FLWRs of a result."""
    match content:
        case Flwr():
            yield content
        case Sequence(parts) | Element(content=parts):
            for part in parts:
                yield from _flwrs(part)
