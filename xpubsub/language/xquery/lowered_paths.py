"""Lowers paths: steps without predicates in one go, as a linear path below its base; predicates node by node."""

from __future__ import annotations

from xpubsub.language.xpath.branches import linear_path
from xpubsub.language.xpath.normal import Hop
from xpubsub.language.xpath.syntax import NodeTest
from xpubsub.language.xquery.lowering import Lowered, Lowering
from xpubsub.language.xquery.static import NO_ITEMS, Code, NodeTrail, Place, Static, may_be_position
from xpubsub.language.xquery.syntax import Context, Expression, FilteredItems, PathExpression, QueryStep

_MOST_TRAILS = 64
_ANY_ELEMENT = Hop("descendant", NodeTest("element"))
KIND_LETTERS = {"element": "e", "attribute": "a", "text": "t", "node": "d"}
"""The letters for kinds of nodes in programs; `d` is the document."""


class PathLowering(Lowering):
    """Lowers paths, and predicates on any items."""

    def _other(self, expr: Expression, place: Place) -> Lowered:
        match expr:
            case PathExpression():
                return self._path(expr, place)
            case FilteredItems(base, predicates):
                code, static = self.lower(base, place.value)
                for each in predicates:
                    code = ["filter", code, self._predicate(each, static, place)]
                return code, static
        return super()._other(expr, place)

    def _path(self, path: PathExpression, place: Place) -> Lowered:
        start, steps = _flat(path)
        code, static = self.lower(start, place.value)
        hops: list[Hop] = []
        for step in steps:
            if isinstance(step, Context):
                continue
            if not isinstance(step, QueryStep):
                code, static = self._mapped(*self._followed(code, static, hops), step, place)
                hops = []
                continue
            if static.kind or static.made:
                raise self.refuse("a step from anything but nodes of the message", step.offset)
            hop = Hop(step.axis, step.test)  # type: ignore[arg-type]
            if not step.predicates:
                hops.append(hop)
                continue
            code, static = self._with_predicates(code, static, hops, step, place)
            hops = []
        return self._followed(code, static, hops)

    def _with_predicates(
        self, code: Code, static: Static, hops: list[Hop], step: QueryStep, place: Place
    ) -> Lowered:
        """Lower a step with predicates; positions count among the nodes of one parent."""
        axis = step.axis
        if not any(may_be_position(each, place.slots) for each in step.predicates):
            code, static = self._followed(code, static, [*hops, Hop(axis, step.test)])  # type: ignore[arg-type]
            for each in step.predicates:
                code = ["filter", code, self._predicate(each, static, place)]
            return code, static
        code, static = self._followed(code, static, hops)
        if axis == "descendant":
            below, inside = self._followed(code, static, [_ANY_ELEMENT])
            code, static, axis = ["nodes", "union", code, below], static.joined(inside), "child"
        entries, inner = self._entries(static, [Hop(axis, step.test)])  # type: ignore[arg-type]
        return ["each", code, entries, [self._predicate(each, inner, place) for each in step.predicates]], inner

    def _predicate(self, predicate: Expression, focus: Static, place: Place) -> Code:
        return self.lower(predicate, place.at(focus))[0]

    def _mapped(self, code: Code, static: Static, step: Expression, place: Place) -> Lowered:
        if static.kind:
            raise self.refuse("a step from anything but nodes of the message", getattr(step, "offset", 0))
        inner, found = self.lower(step, place.at(static))
        return ["map", code, inner], found

    def _followed(self, code: Code, static: Static, hops: list[Hop]) -> Lowered:
        """Lower steps without predicates from the nodes of an expression."""
        if not hops:
            return code, static
        entries, found = self._entries(static, hops)
        return (["path", code, entries], found) if entries else (["seq"], NO_ITEMS)

    def _entries(self, static: Static, hops: list[Hop]) -> tuple[Code, Static]:
        """Return the linear paths that lead on from the trails of some nodes, each with its base's step and kind."""
        trails: list[NodeTrail] = []
        entries: Code = []
        for trail in sorted(static.trails, key=linear_path):
            if trail and trail[-1].test.kind in ("attribute", "text"):
                continue
            if any(hop.test.kind != "element" for hop in hops[:-1]):
                continue
            onward = (*trail, *hops)
            path, position = linear_path(onward), len(trail)
            self.needed.returned[path, position] = None
            trails.append(onward)
            entries.append([path, position, KIND_LETTERS[hops[-1].test.kind]])
        if len(trails) > _MOST_TRAILS:
            raise self.refuse(f"a path with more than {_MOST_TRAILS} alternatives", 0)
        return entries, Static(frozenset(trails))


def _flat(path: PathExpression) -> tuple[Expression, tuple[Expression, ...]]:
    """Return where a path starts, and all its steps."""
    if not isinstance(path.start, PathExpression):
        return path.start, path.steps
    start, steps = _flat(path.start)
    return start, (*steps, *path.steps)
