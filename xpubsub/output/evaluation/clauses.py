"""FLWOR expressions in programs: each clause turns tuples of variables into tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from xpubsub.errors import DynamicError
from xpubsub.output.evaluation.comparing import check_order, order_rank
from xpubsub.output.evaluation.functions import effective_truth
from xpubsub.output.evaluation.items import Untyped, XItems
from xpubsub.output.evaluation.joins import with_joins
from xpubsub.output.evaluation.run import NODE_CLASSES, Environment, Evaluate, Lazy, Run
from xpubsub.output.parts import Node as Code

Tuples = Iterable[Environment]
TupleClause = Callable[[Run, Tuples], Tuples]


def flwor(code: Code, compiled: Callable[[Code], Evaluate]) -> Evaluate:
    """Return the function of a FLWOR expression; an outermost one decides whether there is an output."""
    _, decides, clause_codes, result_code = code
    clauses = [_CLAUSES[each[0]](each, compiled) for each in with_joins(clause_codes)]
    result = compiled(result_code)

    def evaluate(run: Run, environment: Environment) -> XItems:
        tuples: Tuples = [environment]
        for clause in clauses:
            tuples = clause(run, tuples)
        found: XItems = []
        for each in tuples:
            run.decided |= decides
            found += result(run, each)
        return found
    return evaluate


def _bound(code: Code, compiled: Callable[[Code], Evaluate]) -> TupleClause:
    """Return the clause for the variables that joins have bound."""
    _, block, kinds = code
    slots = [(slot, NODE_CLASSES[kind]) for slot, kind in kinds]

    def clause(run: Run, tuples: Tuples) -> Iterator[Environment]:
        for environment in tuples:
            for nodes in run.rows.get((block, ()), ()):
                extended = environment.copy()
                for (slot, of_kind), node in zip(slots, nodes, strict=True):
                    extended[slot] = [of_kind(node)]
                yield extended
    return clause


def _for(code: Code, compiled: Callable[[Code], Evaluate]) -> TupleClause:
    _, slot, position, source_code = code
    source = compiled(source_code)

    def clause(run: Run, tuples: Tuples) -> Iterator[Environment]:
        for environment in tuples:
            for place, item in enumerate(source(run, environment), 1):
                extended = environment.copy()
                extended[slot] = [item]
                if position is not None:
                    extended[position] = [place]
                yield extended
    return clause


def _let(code: Code, compiled: Callable[[Code], Evaluate]) -> TupleClause:
    _, slot, value_code = code
    value = compiled(value_code)

    def clause(run: Run, tuples: Tuples) -> Iterator[Environment]:
        for environment in tuples:
            extended = environment.copy()
            extended[slot] = Lazy(value, run, environment)
            yield extended
    return clause


def _where(code: Code, compiled: Callable[[Code], Evaluate]) -> TupleClause:
    condition = compiled(code[1])
    return lambda run, tuples: (each for each in tuples if effective_truth(condition(run, each)))


def _order(code: Code, compiled: Callable[[Code], Evaluate]) -> TupleClause:
    keys = [(compiled(key), descending, greatest) for key, descending, greatest in code[1]]

    def clause(run: Run, tuples: Tuples) -> Iterator[Environment]:
        rows = list(tuples)
        places = list(range(len(rows)))
        columns = [[_key(run.values(key(run, row))) for row in rows] for key, _, _ in keys]
        for values, (_, descending, greatest) in zip(reversed(columns), reversed(keys), strict=True):
            check_order(values)
            ranks = [order_rank(each, greatest=greatest) for each in values]
            places.sort(key=ranks.__getitem__, reverse=descending)
        return (rows[place] for place in places)
    return clause


def _key(values: XItems) -> Any:
    if len(values) > 1:
        raise DynamicError("XPTY0004", "a key of order by has several items")
    value = values[0] if values else None
    return str(value) if isinstance(value, Untyped) else value


def _never(code: Code, compiled: Callable[[Code], Evaluate]) -> TupleClause:
    return lambda run, tuples: ()


_CLAUSES: dict[str, Callable[[Code, Callable[[Code], Evaluate]], TupleClause]] = {
    "bound": _bound, "for": _for, "let": _let, "where": _where, "orderby": _order, "never": _never,
}
