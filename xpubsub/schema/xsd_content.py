"""Reads the contents of an XML schema's types and groups, before they are combined."""

from __future__ import annotations

from collections import defaultdict
from itertools import count

from xpubsub.language.xpath.syntax import expanded_name
from xpubsub.schema.xsd_documents import XSD, XsdElement, XsdName
from xpubsub.schema.xsd_files import IGNORED, Defined, Globals, unknown

Key = tuple[str, XsdName]
"""A type or a group by kind and name; an anonymous type has a number."""
ANYTHING: Key = ("any", ("", ""))
"""The content of wildcards: anything."""
PARTICLES = ("sequence", "choice", "all")
DERIVATIONS = ("extension", "restriction")


class Contents:
    """Reads all definitions once."""

    def __init__(self, definitions: Globals) -> None:
        self._definitions = definitions
        self._numbers = count(1)
        self.globals = {name for kind, name in definitions if kind == "element"}
        self.abstract: set[XsdName] = set()
        self.members: dict[XsdName, set[XsdName]] = defaultdict(set)
        """Head of a substitution group → its members."""
        self.declared: dict[str, set[Key]] = defaultdict(set)
        """Element → the types it is declared with."""
        self.derived: dict[Key, set[Key]] = defaultdict(set)
        """Type → the types derived from it in one step."""
        self.parts: dict[Key, set[Key]] = defaultdict(set)
        """Type or group → groups, base and wildcards whose content it has as well."""
        self.references: dict[Key, set[XsdName]] = defaultdict(set)
        """Type or group → global elements in it."""
        self.local: dict[Key, set[str]] = defaultdict(set)
        """Type or group → local elements in it."""
        for (kind, name), defined in definitions.items():
            for each in defined:
                self._read(kind, name, each)

    def _read(self, kind: str, name: XsdName, defined: Defined) -> None:
        if kind == "element":
            self._global(name, defined)
        elif defined.node.kind == "complexType":
            self._complex((kind, name), defined)
        elif kind == "group":
            self._particles((kind, name), defined)

    def _global(self, name: XsdName, defined: Defined) -> None:
        types = self._types(defined)
        if defined.node.attributes.get("abstract", "").strip() in ("true", "1"):
            self.abstract.add(name)
        else:
            self.declared[expanded_name(*name)] |= types
        head = defined.name("substitutionGroup")
        if head is not None:
            self._need("element", head, defined.node)
            self.members[head].add(name)

    def _types(self, defined: Defined, heads: frozenset[XsdName] = frozenset()) -> set[Key]:
        """Return an element's types: named, anonymous, or of its substitution group's head; without any, anything."""
        name, head = defined.name("type"), defined.name("substitutionGroup")
        if name is not None:
            return self._named(name, defined.node)
        for node in defined.node.all("complexType"):
            key = ("anonymous", ("", str(next(self._numbers))))
            self._complex(key, defined.within(node))
            return {key}
        if any(defined.node.all("simpleType")):
            return set()
        if head is None or head in heads:
            return {ANYTHING}
        return {key for each in self._need("element", head, defined.node) for key in self._types(each, heads | {head})}

    def _named(self, name: XsdName, node: XsdElement) -> set[Key]:
        if name[0] == XSD:
            return {ANYTHING} if name[1] == "anyType" else set()
        self._need("type", name, node)
        return {("type", name)}

    def _need(self, kind: str, name: XsdName, node: XsdElement) -> list[Defined]:
        if (kind, name) not in self._definitions:
            where = f"of the namespace {name[0]!r} " if name[0] else ""
            raise node.refused(f"the {kind} {name[1]} {where}is not defined in the files given", "schema-missing")
        return self._definitions[kind, name]

    def _complex(self, key: Key, defined: Defined) -> None:
        content = list(defined.node.all("complexContent", "simpleContent"))
        if not content:
            self._particles(key, defined)
        for node in content:
            for derivation in node.all(*DERIVATIONS):
                self._derive(key, defined.within(derivation), node.kind == "complexContent")

    def _derive(self, key: Key, defined: Defined, elements: bool) -> None:
        base = defined.name("base")
        if base is None:
            raise defined.node.refused(f"{defined.node.kind} has a base")
        for each in self._named(base, defined.node):
            if each != ANYTHING:
                self.derived[each].add(key)
            if defined.node.kind == "extension":
                self.parts[key].add(each)
        if elements:
            self._particles(key, defined)

    def _particles(self, key: Key, defined: Defined) -> None:
        for node in defined.node.children:
            if node.kind not in IGNORED and node.attributes.get("maxOccurs", "").strip() != "0":
                self._particle(key, defined.within(node))

    def _particle(self, key: Key, defined: Defined) -> None:
        node = defined.node
        if node.kind in PARTICLES:
            self._particles(key, defined)
        elif node.kind == "element":
            self._element(key, defined)
        elif node.kind == "any":
            self.parts[key].add(ANYTHING)
        elif node.kind == "group" and (name := defined.name("ref")) is not None:
            self._need("group", name, node)
            self.parts[key].add(("group", name))
        else:
            raise unknown(node)

    def _element(self, key: Key, defined: Defined) -> None:
        reference, node = defined.name("ref"), defined.node
        if reference is not None:
            self._need("element", reference, node)
            self.references[key].add(reference)
            return
        local = node.attributes.get("name", "").strip()
        if not local or "targetNamespace" in node.attributes:
            raise node.refused("a local element has a name or a ref, and no namespace of its own")
        form = node.attributes.get("form", "qualified" if defined.qualified else "unqualified").strip()
        name = expanded_name(defined.namespace if form == "qualified" else "", local)
        self.local[key].add(name)
        self.declared[name] |= self._types(defined)
