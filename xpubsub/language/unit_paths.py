"""Finds the elements of a document that a subscription looks at one by one: its units, if nobody gives a path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xpubsub.errors import Error, LimitError, QuerySyntaxError, UnsupportedError
from xpubsub.language.flwr.parser import parse_flwr
from xpubsub.language.flwr.syntax import Content, Copy, Element, Flwr, Sequence
from xpubsub.language.xpath.branches import linear_path
from xpubsub.language.xpath.normal import Hop
from xpubsub.language.xpath.parser import parse_xpath
from xpubsub.language.xpath.syntax import And, Call, Compare, Expr, Not, Or, Path, PathStep
from xpubsub.language.xscl.parser import parse_xscl
from xpubsub.language.xscl.syntax import Pattern
from xpubsub.limits import Limits


class NoUnits(Error):
    """A subscription looks at more than one element of a document and what is around it."""


def unit_paths(
    kind: str, text: str, namespaces: Mapping[str, str], dialect: str, stream: str, limits: Limits
) -> set[str]:
    """Return the linear paths of a subscription's units; raises `NoUnits` if it needs the whole document."""
    if kind == "filter":
        return _of_filter(parse_xpath(text, namespaces, dialect, limits))
    if kind == "transformation":
        return {_of_transformation(_parsed(text, namespaces, limits))}
    tree = parse_xscl(text, namespaces, limits)
    return {_of_pattern(block.steps) for block in tree.blocks if block.stream == stream}


def _parsed(text: str, namespaces: Mapping[str, str], limits: Limits) -> Content:
    try:
        return parse_flwr(text, namespaces, limits).result
    except (UnsupportedError, QuerySyntaxError, LimitError):
        raise NoUnits("Saxon evaluates it on the whole document") from None


def _of_filter(expr: Expr) -> set[str]:
    match expr:
        case Or(parts):
            return set().union(*map(_of_filter, parts))
        case Path():
            return {_of_path(expr)}
        case Compare(_, Path() as path, _) | Compare(_, _, Path() as path):
            return {_of_path(path)}
        case And():
            raise NoUnits("it joins conditions on the whole document with and")
        case Not():
            raise NoUnits("it has a not() on the whole document")
        case Call(name):
            raise NoUnits(f"{name}() looks at the first node of the whole document")
        case _:
            raise NoUnits("it looks at no element")


def _of_transformation(content: Content) -> str:
    found = list(_outermost(content))
    if len(found) != 1 or not isinstance(found[0], Flwr):
        raise NoUnits("it has more than one outermost part that looks at the document")
    first, *others = found[0].bindings
    for path in (*(each.path for each in others), *_paths(found[0].where), *_copied(found[0].result)):
        _refuse_outside(path)
    return _of_path(first.path)


def _outermost(content: Content) -> Iterator[Content]:
    """Yield the parts of a result that look at the document, outermost first."""
    if isinstance(content, Element | Sequence):
        for part in content.content if isinstance(content, Element) else content.parts:
            yield from _outermost(part)
    elif isinstance(content, Copy | Flwr):
        yield content


def _copied(content: Content) -> Iterator[Path]:
    """Yield all paths inside a result."""
    for part in _outermost(content):
        if isinstance(part, Copy):
            yield part.path
        elif isinstance(part, Flwr):
            yield from (each.path for each in part.bindings)
            yield from _paths(part.where)
            yield from _copied(part.result)


def _refuse_outside(path: Path) -> None:
    if path.variable is None:
        raise NoUnits("a path of it starts at the document, not at a variable")
    for inner in _inside(path.steps):
        if inner.absolute:
            raise NoUnits("a predicate of it looks at the whole document")


def _of_pattern(steps: Pattern) -> str:
    hops = []
    for step in steps:
        hops.append(Hop(step.axis, step.test))
        if step.variables or step.patterns or not all(map(_of_attributes, step.predicates)):
            break
    return _checked(hops)


def _of_path(path: Path) -> str:
    """Return the path up to the first step with a condition on more than attributes."""
    if any(inner.absolute for inner in _inside(path.steps)):
        raise NoUnits("a predicate of it looks at the whole document")
    hops = []
    for step in path.steps:
        if step.test.kind != "element":
            break
        hops.append(Hop(step.axis, step.test))
        if not all(map(_of_attributes, step.predicates)):
            break
    return _checked(hops)


def _checked(hops: list[Hop]) -> str:
    """Return the linear path of units, unless the root element of a document is one."""
    root = len(hops) == 1 and (hops[0].axis == "child" or (hops[0].test.uri, hops[0].test.local) == (None, None))
    if not hops or root or hops[0].test.kind != "element":
        raise NoUnits("it looks at the whole document")
    return linear_path(tuple(hop for hop in hops if hop.test.kind == "element"))


def _of_attributes(predicate: Expr) -> bool:
    """Whether a predicate looks only at the attributes of its node, which are known at the start tag."""
    return all(len(path.steps) == 1 and path.steps[0].test.kind == "attribute" and path.steps[0].axis == "child"
               and not path.absolute for path in _paths(predicate))


def _inside(steps: Iterable[PathStep]) -> Iterator[Path]:
    """Yield all paths in the predicates of steps."""
    for step in steps:
        for predicate in step.predicates:
            for path in _paths(predicate):
                yield path
                yield from _inside(path.steps)


def _paths(expr: Expr | None) -> Iterator[Path]:
    """Yield the paths of an expression, without those in predicates."""
    match expr:
        case Path():
            yield expr
        case And(parts) | Or(parts):
            for part in parts:
                yield from _paths(part)
        case Not(part):
            yield from _paths(part)
        case Compare(_, left, right) | Call(_, left, right):
            yield from _paths(left)
            yield from _paths(right)
