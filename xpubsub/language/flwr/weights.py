"""A subscriber's weights: `{"$a/price": 10}`, by the paths that the transformation returns, as it writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from xpubsub.errors import Error
from xpubsub.language.flwr.block_chains import plain
from xpubsub.language.flwr.syntax import Content, Copy, Element, Flwr, Sequence, Transformation
from xpubsub.language.xpath.branches import linear_path
from xpubsub.language.xpath.normal import Hop, Normalizer
from xpubsub.language.xpath.syntax import Path
from xpubsub.language.xpath.written import Written
from xpubsub.limits import Limits

_RENAMED = re.compile(r"(?<=\w)#\d+")
"""What the parser adds to the name of a variable that is bound a second time."""
_Variables = dict[str, tuple[Hop, ...]]


def linear_weights(
    tree: Transformation, weights: Mapping[str, float], namespaces: Mapping[str, str] | None = None
) -> dict[str, float]:
    """Return the weights by linear path; a path that is not returned is an error."""
    if not weights:
        return {}
    found: dict[str, list[str]] = {}
    for written, path in _returned(tree, {**(namespaces or {}), **dict(tree.namespaces)}):
        found.setdefault(written, []).append(path)
    resolved: dict[str, float] = {}
    for written, weight in weights.items():
        if _plain(written) not in found:
            returned = ", ".join(found) or "none"
            raise Error(f"weights: the transformation does not return {written}; the paths that it returns: {returned}")
        resolved.update(dict.fromkeys(found[_plain(written)], float(weight)))
    return resolved


def _plain(written: str) -> str:
    return "".join(written.split())


def _returned(tree: Transformation, namespaces: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each path that is copied, as it is written and as a linear path."""
    writing, normal = Written(namespaces), Normalizer("", Limits())

    def hops(path: Path, variables: _Variables) -> tuple[Hop, ...] | None:
        """The hops to the nodes of a path; None if there can never be any."""
        ways = normal.selected(path)
        base = variables.get(path.variable, ()) if path.variable is not None else ()
        return (*base, *plain(ways[0][0].hops)) if ways else None

    def visit(content: Content, variables: _Variables) -> Iterator[tuple[str, str]]:
        match content:
            case Copy(path):
                if (way := hops(path, variables)) is not None:
                    yield _plain(_RENAMED.sub("", writing.expression(path))), linear_path(way)
            case Sequence(parts) | Element(content=parts):
                for part in parts:
                    yield from visit(part, variables)
            case Flwr(bindings, _, result):
                inner = dict(variables)
                for binding in bindings:
                    inner[binding.variable] = hops(binding.path, inner) or ()
                yield from visit(result, inner)

    yield from visit(tree.result, {})
