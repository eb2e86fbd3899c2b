"""What joins can decide of a query: its parts as paths and conditions of the language that joins know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xpubsub.language.xpath.normal import FLIPPED
from xpubsub.language.xpath.numbers import to_number
from xpubsub.language.xpath.syntax import And, Call, Compare, Expr, Literal, Not, Number, Or, Path, PathStep
from xpubsub.language.xquery.syntax import (
    BinaryOperation,
    Context,
    Expression,
    FilteredItems,
    FlworExpression,
    ForClause,
    FunctionCall,
    MessageRoot,
    PathExpression,
    QueryConstant,
    QueryStep,
    Variable,
)

PathVariables = Mapping[int, Path]
"""The variables that stand for paths."""


def plain_path(expr: Expression, paths: PathVariables, *, inside: bool = False) -> Path | None:
    """Return an expression as a path that joins can follow, or None; `inside` a predicate there are no variables."""
    match expr:
        case MessageRoot():
            return Path(True, ())
        case Context():
            return Path(not inside, ())
        case Variable(slot):
            return None if inside else paths.get(slot)
        case PathExpression(start, steps):
            base = plain_path(start, paths, inside=inside)
            onward = [_plain_step(each) for each in steps if not isinstance(each, Context)]
            if base is None or None in onward:
                return None
            return replace(base, steps=(*base.steps, *(each for each in onward if each is not None)))
    return None


def _plain_step(step: Expression) -> PathStep | None:
    if not isinstance(step, QueryStep):
        return None
    conditions = [plain_condition(each, {}, inside=True) for each in step.predicates]
    if None in conditions:
        return None
    return PathStep(step.axis, step.test, tuple(each for each in conditions if each is not None))  # type: ignore[arg-type]


def plain_condition(expr: Expression, paths: PathVariables, *, inside: bool = False) -> Expr | None:
    """Return an expression as a condition that joins can decide, or None."""
    match expr:
        case BinaryOperation("and" | "or" as op, left, right):
            parts = [plain_condition(each, paths, inside=inside) for each in (left, right)]
            if parts[0] is None or parts[1] is None:
                return None
            return And((parts[0], parts[1])) if op == "and" else Or((parts[0], parts[1]))
        case BinaryOperation(op, left, right) if op in FLIPPED:
            return _comparison(op, left, right, paths, inside)
        case FunctionCall("not" | "boolean" | "exists" | "empty" as name, (argument,)):
            of_paths = name in ("exists", "empty")
            found = (plain_path if of_paths else plain_condition)(argument, paths, inside=inside)
            return found if found is None or name in ("boolean", "exists") else Not(found)
        case FunctionCall("contains" | "starts-with" as name, (argument, QueryConstant(str(value)))):
            found = plain_path(argument, paths, inside=inside)
            return None if found is None else Call(name, found, Literal(value))
        case PathExpression() | Variable():
            return plain_path(expr, paths, inside=inside)
    return None


def _comparison(op: str, left: Expression, right: Expression, paths: PathVariables, inside: bool) -> Expr | None:
    if isinstance(left, QueryConstant):
        op, left, right = FLIPPED[op], right, left
    if not isinstance(right, QueryConstant):
        return None
    path, constant = plain_path(left, paths, inside=inside), right.value
    if path is None:
        return None
    if not isinstance(constant, str):
        return Compare(op, path, Number(float(constant)))
    return Compare(op, path, Literal(constant)) if op in ("=", "!=") or to_number(constant) is not None else None


def parts_of_and(expr: Expression) -> list[Expression]:
    """Return the parts of a condition that are joined by `and`."""
    if isinstance(expr, BinaryOperation) and expr.op == "and":
        return [*parts_of_and(expr.left), *parts_of_and(expr.right)]
    return [expr]


def necessary_path(expr: Expression, paths: PathVariables) -> Path | None:
    """Return a path without predicates that selects something wherever an expression is not empty, or None."""
    match expr:
        case MessageRoot() | Variable():
            return plain_path(expr, paths)
        case Context():
            return Path(True, ())
        case PathExpression(start, steps):
            return _necessary_steps(necessary_path(start, paths), steps)
        case FilteredItems(base):
            return necessary_path(base, paths)
        case FunctionCall("distinct-values" | "data" | "unordered" | "reverse" | "subsequence", (argument, *_)):
            return necessary_path(argument, paths)
        case FlworExpression((ForClause(source=source), *_)):
            return necessary_path(source, paths)
    return None


def _necessary_steps(base: Path | None, steps: tuple[Expression, ...]) -> Path | None:
    if base is None:
        return None
    found = [PathStep(each.axis, each.test) for each in steps if isinstance(each, QueryStep)]  # type: ignore[arg-type]
    cut = next((index for index, each in enumerate(steps) if not isinstance(each, QueryStep | Context)), None)
    if cut is not None:
        found = [PathStep(each.axis, each.test) for each in steps[:cut] if isinstance(each, QueryStep)]  # type: ignore[arg-type]
    return replace(base, steps=(*base.steps, *found))


