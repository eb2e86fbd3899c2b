"""Reads the path at which a document is cut into units: child and descendant steps with name tests."""

from __future__ import annotations

from collections.abc import Mapping

from xpubsub.errors import UnsupportedError
from xpubsub.language.xpath.branches import linear_path
from xpubsub.language.xpath.normal import Hop
from xpubsub.language.xpath.parser import parse_xpath
from xpubsub.language.xpath.syntax import Path
from xpubsub.language.xpath.tokens import tokenize
from xpubsub.limits import Limits

_INSTEAD = "write the path of the elements to cut out, as in /feed/entry or //person"


def split_path(text: str, namespaces: Mapping[str, str] | None = None, limits: Limits | None = None) -> str:
    """Return the linear path at which to cut; raises an error that points at whatever else the text contains."""
    path = parse_xpath(text, namespaces, limits=limits)
    if not isinstance(path, Path):
        raise _refused("an expression other than a path", text, 0)
    if any(step.predicates for step in path.steps):
        raise _refused("a predicate in the path of units", text, _offset(text, "["))
    if any(step.test.kind == "attribute" for step in path.steps):
        raise _refused("an attribute as a unit", text, _offset(text, "@", "attribute"))
    if any(step.test.kind == "text" for step in path.steps):
        raise _refused("a text as a unit", text, _offset(text, "text"))
    if not path.steps:
        raise _refused("the whole document as a unit", text, 0)
    return linear_path(tuple(Hop(step.axis, step.test) for step in path.steps))


def _offset(text: str, *tokens: str) -> int:
    return next(token.offset for token in tokenize(text) if token.text in tokens)


def _refused(construct: str, text: str, offset: int) -> UnsupportedError:
    return UnsupportedError(f"{construct} is not supported: {_INSTEAD}", code="unsupported", text=text, offset=offset)
