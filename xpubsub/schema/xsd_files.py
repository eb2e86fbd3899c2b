"""Collects the global definitions of an XML schema's files, and reports missing files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xpubsub.errors import SchemaError
from xpubsub.schema.xsd_documents import XSD, XsdElement, XsdName

GLOBAL = ("element", "complexType", "simpleType", "group")
REFERENCES = ("include", "import", "redefine")
IGNORED = (
    "", "annotation", "anyAttribute", "attribute", "attributeGroup", "key", "keyref", "notation", "simpleType", "unique"
)
"""Elements of XML Schema that say nothing about child elements."""
KNOWN_NAMESPACES = (XSD, "http://www.w3.org/XML/1998/namespace")
"""Namespaces that need no file."""


@dataclass(frozen=True)
class Defined:
    """An element of a schema document, its target namespace, and whether local elements are in that namespace."""

    node: XsdElement
    namespace: str
    qualified: bool
    adopted: bool
    """Whether the namespace comes from an including file: then names without a namespace are in it too."""

    def within(self, node: XsdElement) -> Defined:
        """Return another element of the same document."""
        return Defined(node, self.namespace, self.qualified, self.adopted)

    def name(self, attribute: str) -> XsdName | None:
        """Return the expanded name in an attribute."""
        return self.node.name(attribute, self.namespace if self.adopted else "")


Globals = dict[tuple[str, XsdName], list[Defined]]
"""By kind (a simple type is a type) and name; a redefinition stands beside what it redefines."""


def global_definitions(schemas: Sequence[XsdElement]) -> Globals:
    """Return the global definitions of some files."""
    for schema in schemas:
        _check_references(schema, schemas)
    found: Globals = {}
    for schema in schemas:
        for namespace in _namespaces(schema, schemas):
            qualified = schema.attributes.get("elementFormDefault") == "qualified"
            for node in _top(schema):
                defined = Defined(node, namespace, qualified, not target(schema))
                found.setdefault(_key(node, namespace), []).append(defined)
    return found


def target(schema: XsdElement) -> str:
    """Return the target namespace of a file."""
    return schema.attributes.get("targetNamespace", "")


def _top(schema: XsdElement) -> Iterator[XsdElement]:
    for node in schema.children:
        if node.kind in GLOBAL:
            yield node
        elif node.kind == "redefine":
            yield from node.all(*GLOBAL)
        elif node.kind not in (*REFERENCES, *IGNORED):
            raise unknown(node)


def _key(node: XsdElement, namespace: str) -> tuple[str, XsdName]:
    local = node.attributes.get("name", "").strip()
    if not local:
        raise node.refused(f"a global {node.kind} has a name")
    return kind_of(node), (namespace, local)


def kind_of(node: XsdElement) -> str:
    """Return the kind of a definition; complex and simple types share one."""
    return "type" if node.kind in ("complexType", "simpleType") else node.kind


def unknown(node: XsdElement) -> SchemaError:
    """Return the error for an element that XML Schema 1.0 does not allow there."""
    return node.refused(f"{node.kind} is not expected here, or not in XML Schema 1.0", "schema-unsupported")


def _namespaces(schema: XsdElement, schemas: Sequence[XsdElement]) -> set[str]:
    """Return the namespaces of a file; one without a target namespace takes those of all files that include a file."""
    if target(schema):
        return {target(schema)}
    including = {target(other) for other in schemas if any(other.all("include", "redefine"))} - {""}
    imported = any(not node.attributes.get("namespace") for other in schemas for node in other.all("import"))
    return including | ({""} if imported or not including else set())


def _check_references(schema: XsdElement, schemas: Sequence[XsdElement]) -> None:
    others = {target(other) for other in schemas if other is not schema}
    for node in schema.all(*REFERENCES):
        location = node.attributes.get("schemaLocation", "")
        wanted = node.attributes.get("namespace", "")
        if node.kind == "import" and wanted not in others and wanted not in KNOWN_NAMESPACES:
            what = f"the schema of the namespace {wanted!r}" + (f" ({location})" if location else "")
            raise node.refused(f"{what} is not among the files given", "schema-missing")
        if node.kind != "import" and not others & {target(schema), ""}:
            raise node.refused(f"{location} is not among the files given", "schema-missing")
