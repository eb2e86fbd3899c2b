"""Reads a path of elements: of the units that a document is cut into, or of what is spilled of messages."""

from __future__ import annotations

from collections.abc import Mapping

from xpubsub.errors import UnsupportedError
from xpubsub.language.xpath.branches import linear_path
from xpubsub.language.xpath.normal import Hop
from xpubsub.language.xpath.parser import parse_xpath
from xpubsub.language.xpath.syntax import Path
from xpubsub.language.xpath.tokens import tokenize
from xpubsub.limits import Limits

_UNITS = "write the path of the elements to cut out, as in /feed/entry or //person"
_SPILLED = "write the path of the elements to spill, as in /order/note or //figure"


def split_path(text: str, namespaces: Mapping[str, str] | None = None, limits: Limits | None = None) -> str:
    """Return the linear path at which to cut; raises an error that points at whatever else the text contains."""
    return _element_path(text, namespaces, limits, "as a unit", "in the path of units", _UNITS)


def spilled_path(text: str, namespaces: Mapping[str, str] | None = None, limits: Limits | None = None) -> str:
    """Return the linear path of elements to spill; raises an error that points at whatever else the text contains."""
    return _element_path(text, namespaces, limits, "as what is spilled", "in the path of what is spilled", _SPILLED)


def _element_path(
    text: str, namespaces: Mapping[str, str] | None, limits: Limits | None, role: str, place: str, instead: str
) -> str:
    def refused(construct: str, offset: int) -> UnsupportedError:
        return UnsupportedError(
            f"{construct} is not supported: {instead}", code="unsupported", text=text, offset=offset)

    path = parse_xpath(text, namespaces, limits=limits)
    if not isinstance(path, Path):
        raise refused("an expression other than a path", 0)
    if any(step.predicates for step in path.steps):
        raise refused(f"a predicate {place}", _offset(text, "["))
    if any(step.test.kind == "attribute" for step in path.steps):
        raise refused(f"an attribute {role}", _offset(text, "@", "attribute"))
    if any(step.test.kind == "text" for step in path.steps):
        raise refused(f"a text {role}", _offset(text, "text"))
    if not path.steps:
        raise refused(f"the whole document {role}", 0)
    return linear_path(tuple(Hop(step.axis, step.test) for step in path.steps))


def _offset(text: str, *tokens: str) -> int:
    return next(token.offset for token in tokenize(text) if token.text in tokens)
