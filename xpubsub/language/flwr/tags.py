"""Writes the tags of constructed elements, with the namespace declarations that they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xpubsub.language.flwr.syntax import Element
from xpubsub.language.xpath.paths import XML_NAMESPACE


@dataclass(frozen=True)
class Tags:
    """The namespaces that the elements around a place declare."""

    declared: Mapping[str, str] = field(default_factory=lambda: {"": "", "xml": XML_NAMESPACE})

    @property
    def has_default(self) -> bool:
        """Whether an element without a prefix is in a namespace here."""
        return bool(self.declared[""])

    def element(self, element: Element) -> tuple[str, str, Tags]:
        """Return the start tag without its closing bracket, the end tag, and the namespaces declared inside."""
        needed = dict(element.declared)
        needed[element.name.prefix] = element.name.uri
        needed.update((name.prefix, name.uri) for name, _ in element.attributes if name.prefix)
        new = {prefix: uri for prefix, uri in needed.items() if self.declared.get(prefix) != uri}
        literals = "".join(f' {name.written}="{escaped_attribute(value)}"' for name, value in element.attributes)
        written = element.name.written
        return f"<{written}{declarations(new)}{literals}", f"</{written}>", Tags({**self.declared, **new})


def declarations(namespaces: Mapping[str, str]) -> str:
    """Namespaces, (prefix, URI) pairs, as attributes of a tag."""
    return "".join(f' xmlns{":" if prefix else ""}{prefix}="{escaped_attribute(uri)}"'
                   for prefix, uri in sorted(namespaces.items()))


def escaped_text(text: str) -> str:
    """Escape text for use between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#xD;")


def escaped_attribute(text: str) -> str:
    """Escape text for use in an attribute."""
    plain = escaped_text(text).replace('"', "&quot;")
    return plain.replace("\t", "&#x9;").replace("\n", "&#xA;")
