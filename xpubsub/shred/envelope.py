"""What surrounds a unit: the open elements of the document, and what holds inside them."""

from __future__ import annotations

from urllib.parse import urljoin

from xpubsub.language.flwr.tags import declarations, escaped_attribute
from xpubsub.language.xpath.paths import XML_NAMESPACE
from xpubsub.shred.start_tags import StartTag

_INHERITED = {f"{XML_NAMESPACE}\n{name}": f"xml:{name}" for name in ("lang", "base", "space")}
"""The attributes that hold for everything inside an element, as expat names them."""
_REMEMBERED = 100


class Envelope:
    """The elements around the place that a parser has reached."""

    def __init__(self, *, keeps_tags: bool = False) -> None:
        self.keeps_tags = keeps_tags
        self._scope: list[tuple[str, str]] = []
        self._fresh = 0
        self._attributes: list[dict[str, str]] = [{}]
        self._written: dict[object, bytes] = {}
        self.tags: list[StartTag] = []
        """The start tags of the open elements, if it `keeps_tags`."""

    @property
    def depth(self) -> int:
        """How many elements are open."""
        return len(self._attributes) - 1

    def declare(self, prefix: str | None, uri: str | None) -> None:
        """A namespace that the next element declares."""
        self._scope.append((prefix or "", uri or ""))
        self._fresh += 1

    def forget(self, prefix: str | None) -> None:
        """The namespace declared last goes out of scope."""
        self._scope.pop()

    def enter(self, attributes: list[str]) -> None:
        """Open an element."""
        self._fresh = 0
        inherited = self._attributes[-1]
        own = _inherited(attributes)
        if own:
            inherited = {**inherited, **own}
            base = self._attributes[-1].get("xml:base")
            if base and "xml:base" in own:
                inherited["xml:base"] = _joined(base, own["xml:base"])
        self._attributes.append(inherited)

    def leave(self) -> None:
        """Close an element."""
        self._attributes.pop()
        if self.tags:
            self.tags.pop()

    def added(self, attributes: list[str]) -> bytes:
        """Return what a unit's start tag needs to mean the same outside: declarations and `xml:` attributes."""
        inherited, around = len(self._scope) - self._fresh, self._attributes[-1]
        self._fresh = 0
        if not inherited and not around:
            return b""
        present = _inherited(attributes) if around else {}
        key = tuple(self._scope), inherited, tuple(around.items()), tuple(present)
        if key not in self._written:
            if len(self._written) > _REMEMBERED:
                self._written.clear()
            own = {prefix for prefix, _ in self._scope[inherited:]}
            before = {prefix: uri for prefix, uri in self._scope[:inherited] if prefix not in own}
            missing = {name: value for name, value in around.items() if name not in present}
            self._written[key] = _added(before, missing).encode("utf-8")
        return self._written[key]


def _inherited(attributes: list[str]) -> dict[str, str]:
    names = zip(attributes[::2], attributes[1::2], strict=True)
    return {_INHERITED[name]: value for name, value in names if name in _INHERITED}


def _joined(base: str, own: str) -> str:
    try:
        return urljoin(base, own)
    except ValueError:
        return own


def _added(namespaces: dict[str, str], attributes: dict[str, str]) -> str:
    declared = declarations({prefix: uri for prefix, uri in namespaces.items() if uri})
    return declared + "".join(f' {name}="{escaped_attribute(value)}"' for name, value in sorted(attributes.items()))
