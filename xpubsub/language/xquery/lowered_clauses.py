"""Lowers FLWOR expressions; joins bind the first variables of an outermost one, and decide what they can of `where`."""

from __future__ import annotations

from dataclasses import replace

from xpubsub.language.flwr.block_chains import TemplatePlace, node_kind
from xpubsub.language.flwr.block_tree import Blocks
from xpubsub.language.flwr.blocks import BlockTree, TemplateNode
from xpubsub.language.flwr.syntax import Binding
from xpubsub.language.flwr.tags import Tags
from xpubsub.language.xpath.normal import TRUE
from xpubsub.language.xpath.syntax import And, Expr, NodeTest, Path, PathStep
from xpubsub.language.xquery.lowered_constructors import ConstructorLowering
from xpubsub.language.xquery.lowered_paths import KIND_LETTERS
from xpubsub.language.xquery.lowering import Lowered
from xpubsub.language.xquery.pushed import necessary_path, parts_of_and, plain_condition, plain_path
from xpubsub.language.xquery.static import NUMBERS, Code, Place, Static
from xpubsub.language.xquery.syntax import (
    BinaryOperation,
    Context,
    Expression,
    FilteredItems,
    FlworExpression,
    ForClause,
    LetClause,
    OrderClause,
    PathExpression,
    QueryClause,
    Variable,
    WhereClause,
    XQuery,
)
from xpubsub.limits import Limits

_ROOT = Path(True, (PathStep("child", NodeTest("element")),))


class QueryCompiler(ConstructorLowering):
    """Compiles a query to blocks, which joins bind, and a program, which the message factory runs on what is bound."""

    def __init__(self, query: XQuery, text: str, limits: Limits) -> None:
        super().__init__(query, text)
        self._query = query
        self._blocks = Blocks(text, limits)
        self._outermost: dict[int, int] = {}
        """The blocks of outermost expressions, with how many variables each binds."""

    def tree(self) -> BlockTree:
        """Return the compiled query."""
        code = self.made(self._body(self._query.body), Place(tags=Tags(), outermost=True), outside=True)
        decides = bool(self._outermost)
        if not decides:
            self._gate(None)
        blocks = [list(each) for each in self._outermost.items()]
        template: TemplateNode = ["s", [["x", code, self.slots, blocks, decides]]]
        found, needed = self._blocks.found, self.needed
        return BlockTree(
            tuple(found.steps), tuple(found.conditions), template, frozenset(self._outermost),
            frozenset(needed.copied), tuple(needed.returned), tuple(found.repeats),
            frozenset(needed.valued), frozenset(needed.named), always=not decides)

    def _body(self, body: Expression) -> Expression:
        """Return a query of a path as a `for` over it."""
        if isinstance(body, PathExpression | FilteredItems | Context) or (
                isinstance(body, BinaryOperation) and body.op in ("|", "union", "intersect", "except")):
            slot = self.new_slot()
            return FlworExpression((ForClause(slot, None, body),), Variable(slot, "", body.offset))
        if isinstance(body, FlworExpression) and all(isinstance(each, LetClause) for each in body.clauses):
            return replace(body, result=self._body(body.result))
        return body

    def _other(self, expr: Expression, place: Place) -> Lowered:
        if isinstance(expr, FlworExpression):
            return self._flwor(expr, place)
        return super()._other(expr, place)

    def _flwor(self, flwor: FlworExpression, place: Place) -> Lowered:
        clauses: tuple[QueryClause, ...] = flwor.clauses
        decides = place.outermost and not all(isinstance(each, LetClause) for each in clauses)
        codes: list[Code] = []
        if decides:
            clauses, codes, place = self._pushed(clauses, place)
        for clause in clauses:
            place = self._clause(clause, codes, place)
        inside = replace(place, outermost=place.outermost and not decides)
        code, static = self.lower(flwor.result, inside)
        return ["flwor", decides, codes, code], static

    def _clause(self, clause: QueryClause, codes: list[Code], place: Place) -> Place:
        match clause:
            case ForClause(slot, position, source):
                code, static = self.lower(source, place.value)
                codes.append(["for", slot, position, code])
                place = place.with_slot(slot, static)
                return place if position is None else place.with_slot(position, NUMBERS)
            case LetClause(slot, value):
                code, static = self.lower(value, place.value)
                codes.append(["let", slot, code])
                path = plain_path(value, place.plain)
                return replace(place.with_slot(slot, static), plain=place.plain if path is None
                               else {**place.plain, slot: path})
            case WhereClause(condition):
                codes += [["where", self.lower(each, place.value)[0]] for each in parts_of_and(condition)]
            case OrderClause(keys):
                codes.append(["orderby", [
                    [self._values(each.key, place), each.descending, each.empty_greatest] for each in keys]])
        return place

    def _pushed(
        self, clauses: tuple[QueryClause, ...], place: Place
    ) -> tuple[tuple[QueryClause, ...], list[Code], Place]:
        """Bind by joins what they can bind; returns the other clauses, the first one and the place after it."""
        bindings, conditions, rest = _Split(place).of(clauses)
        if not bindings:
            self._gate(_first_source(clauses, place))
            return clauses, [], place
        where = And(tuple(conditions)) if len(conditions) > 1 else conditions[0] if conditions else None
        named = tuple(Binding(f"s{slot}", path) for slot, path in bindings)
        condition = TRUE if where is None else self._blocks.normal.boolean(where)
        inner = self._blocks.block(named, condition, TemplatePlace())
        if inner is None:
            return rest, [["never"]], self._unbound(bindings, place)
        self._outermost[inner.block] = len(bindings)
        slots: list[Code] = []
        for (slot, _), binding in zip(bindings, named, strict=True):
            hops = inner.variables[binding.variable].hops
            slots.append([slot, KIND_LETTERS[node_kind(hops)]])
            place = place.with_slot(slot, Static(frozenset({hops})))
        return rest, [["bound", inner.block, slots]], place

    def _unbound(self, bindings: list[tuple[int, Path]], place: Place) -> Place:
        for slot, _ in bindings:
            place = place.with_slot(slot, Static())
        self._outermost.setdefault(0, 0)
        return place

    def _gate(self, necessary: Path | None) -> None:
        """Bind the root by joins, if a path that must select something does."""
        if necessary is not None and (necessary.variable is not None or not necessary.steps):
            necessary = None
        where = TRUE if necessary is None else self._blocks.normal.boolean(necessary)
        inner = self._blocks.block((Binding("root", _ROOT),), where, TemplatePlace())
        assert inner is not None
        self._outermost[inner.block] = 1


def _first_source(clauses: tuple[QueryClause, ...], place: Place) -> Path | None:
    """Return a path that must select something if the first `for` is to bind anything."""
    plain = dict(place.plain)
    for clause in clauses:
        if isinstance(clause, ForClause):
            return necessary_path(clause.source, plain)
        if isinstance(clause, LetClause) and (path := plain_path(clause.value, plain)) is not None:
            plain[clause.slot] = path
    return None


class _Split:
    """Divides the clauses of an outermost expression between joins and the program."""

    def __init__(self, place: Place) -> None:
        self._plain = dict(place.plain)
        self._bindings: list[tuple[int, Path]] = []
        self._conditions: list[Expr] = []
        self._open = True

    def of(
        self, clauses: tuple[QueryClause, ...]
    ) -> tuple[list[tuple[int, Path]], list[Expr], tuple[QueryClause, ...]]:
        """Return the variables that joins bind, the conditions that they decide, and the other clauses."""
        rest = [each for clause in clauses for each in self._clause(clause)]
        return self._bindings, self._conditions, tuple(rest)

    def _clause(self, clause: QueryClause) -> list[QueryClause]:
        match clause:
            case LetClause(slot, value):
                path = plain_path(value, self._plain)
                if path is not None:
                    self._plain[slot] = path
            case ForClause(slot, position, source):
                path = plain_path(source, self._plain) if self._open and position is None else None
                if path is not None and path.steps and (not self._bindings or path.variable is not None):
                    self._bindings.append((slot, path))
                    self._plain[slot] = Path(False, (), 0, f"s{slot}")
                    return []
                self._open = False
            case WhereClause(condition) if self._bindings:
                parts = [(each, plain_condition(each, self._plain)) for each in parts_of_and(condition)]
                self._conditions += [each for _, each in parts if each is not None]
                return [WhereClause(each) for each, known in parts if known is None]
        return [clause]


