"""Warns about comparisons by order with a text that is not a number: XPath 1.0 compares numbers, so they never hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from xpubsub.language.flwr.syntax import Content, Copy, Element, Flwr, Sequence
from xpubsub.language.xpath.numbers import to_number
from xpubsub.language.xpath.syntax import And, Call, Compare, Expr, Literal, Not, Or, Path
from xpubsub.language.xpath.written import Written, literal, quoted
from xpubsub.language.xscl.syntax import Correlation, Pattern

ALWAYS_FALSE = "its conditions are always false"
"""The reason if constants alone decide."""
_DATE = re.compile(r"\s*([0-9]{4})-[0-9]{2}\b")


def ordered_texts(expr: Expr, *, inside_not: bool = False) -> Iterator[tuple[Compare, bool]]:
    """Yield each such comparison in an expression, and whether it is inside not()."""
    match expr:
        case Path(_, steps):
            for step in steps:
                for predicate in step.predicates:
                    yield from ordered_texts(predicate, inside_not=inside_not)
        case Compare(_, left, right):
            if _text_of(expr) is not None:
                yield expr, inside_not
            yield from ordered_texts(left, inside_not=inside_not)
            yield from ordered_texts(right, inside_not=inside_not)
        case Call(_, left, _):
            yield from ordered_texts(left, inside_not=inside_not)
        case And(parts) | Or(parts):
            for part in parts:
                yield from ordered_texts(part, inside_not=inside_not)
        case Not(part):
            yield from ordered_texts(part, inside_not=not inside_not)


def content_expressions(content: Content) -> Iterator[Expr]:
    """Yield the paths and conditions of a result."""
    match content:
        case Copy(path):
            yield path
        case Sequence(parts) | Element(content=parts):
            for part in parts:
                yield from content_expressions(part)
        case Flwr(bindings, where, result):
            yield from (binding.path for binding in bindings)
            yield from () if where is None else (where,)
            yield from content_expressions(result)


def correlation_expressions(tree: Correlation) -> Iterator[Expr]:
    """Yield the paths and conditions of a correlation."""
    for block in tree.blocks:
        yield from _pattern_expressions(block.steps)
    for operator in tree.operators:
        for comparison in operator.comparisons:
            yield from (comparison.left, comparison.right)
    yield from () if tree.result is None else content_expressions(tree.result)


def _pattern_expressions(steps: Pattern) -> Iterator[Expr]:
    for step in steps:
        yield from step.predicates
        for pattern in step.patterns:
            yield from _pattern_expressions(pattern)


def explanations(expressions: Iterable[Expr], written: Written) -> list[str]:
    """Explain why each such comparison in some expressions is never true."""
    found = {_explained(compare, inside, written): None
             for expr in expressions for compare, inside in ordered_texts(expr)}
    return list(found)


def _explained(compare: Compare, inside_not: bool, written: Written) -> str:
    """Explain why a comparison is never true, and what to write instead."""
    text = _text_of(compare) or ""
    opposite = " (and not() of it always true)" if inside_not else ""
    return (f"{written.quoted(compare)} is never true{opposite}: XPath 1.0 compares numbers by order, and "
            f"{quoted(literal(text))} is not a number; {_instead(compare, text, written)}")


def _instead(compare: Compare, text: str, written: Written) -> str:
    path = compare.left if isinstance(compare.left, Path) else compare.right
    date = _DATE.match(text)
    if date:
        return f"write starts-with({written.expression(path)}, '{date[1]}-') for a year, or compare a number"
    return "texts can be compared with =, !=, starts-with() and contains()"


def _text_of(compare: Compare) -> str | None:
    """Return the text that a path is compared with by order, if the text is not a number."""
    if compare.op in ("=", "!="):
        return None
    constant = compare.right if isinstance(compare.left, Path) else compare.left
    paths = isinstance(compare.left, Path) or isinstance(compare.right, Path)
    no_number = paths and isinstance(constant, Literal) and to_number(constant.value) is None
    return constant.value if no_number and isinstance(constant, Literal) else None
