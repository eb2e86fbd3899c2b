"""Reads XML schema documents into small trees, with expanded names and the place of each element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler, feature_namespaces
from xml.sax.xmlreader import InputSource

from defusedxml.common import DefusedXmlException
from defusedxml.sax import make_parser

from xpubsub.errors import SchemaError
from xpubsub.schema.source import SchemaFile

XSD = "http://www.w3.org/2001/XMLSchema"
DEEPEST_ELEMENTS = 100
"""The deepest nesting of elements in an XML schema."""

XsdName = tuple[str, str]
"""(URI, local name)."""


@dataclass(eq=False)
class XsdElement:
    """An element of an XML schema document; `kind` is its local name, empty if it is not of the schema language."""

    source: SchemaFile
    kind: str
    attributes: dict[str, str]
    namespaces: dict[str, str]
    line: int
    column: int
    children: list[XsdElement] = field(default_factory=list)

    def all(self, *kinds: str) -> Iterator[XsdElement]:
        """Yield the children of some kinds."""
        return (child for child in self.children if child.kind in kinds)

    def refused(self, reason: str, code: str = "schema-invalid") -> SchemaError:
        """Return an error at this element."""
        return self.source.refused(reason, code, self.line, self.column)

    def name(self, attribute: str, default: str) -> XsdName | None:
        """Return the expanded name in an attribute; without prefix and default namespace it is in `default`."""
        written = self.attributes.get(attribute, "").strip()
        if not written:
            return None
        prefix, _, local = written.rpartition(":")
        if prefix and prefix not in self.namespaces:
            raise self.refused(f"the prefix of {written} is not declared")
        return self.namespaces.get(prefix, "") or default, local


class _TreeHandler(ContentHandler):
    """Builds the tree of one document."""

    def __init__(self, source: SchemaFile) -> None:
        super().__init__()
        self._source = source
        self._declared: list[dict[str, str]] = [{"xml": "http://www.w3.org/XML/1998/namespace"}]
        self._pending: dict[str, str] = {}
        self._open: list[XsdElement] = []
        self.root: XsdElement | None = None

    def setDocumentLocator(self, locator: Any) -> None:
        self._locator = locator

    def startPrefixMapping(self, prefix: str | None, uri: str | None) -> None:
        self._pending[prefix or ""] = uri or ""

    def startElementNS(self, name: tuple[str | None, str], qname: str | None, attrs: Any) -> None:
        namespaces = {**self._declared[-1], **self._pending} if self._pending else self._declared[-1]
        self._declared.append(namespaces)
        self._pending = {}
        kind = name[1] if name[0] == XSD else ""
        attributes = {local: value for (uri, local), value in attrs.items() if not uri}
        line, column = self._locator.getLineNumber() or 1, (self._locator.getColumnNumber() or 0) + 1
        node = XsdElement(self._source, kind, attributes, namespaces, line, column)
        if len(self._open) >= DEEPEST_ELEMENTS:
            raise node.refused(f"nested deeper than {DEEPEST_ELEMENTS}", "limit-schema")
        if self._open:
            self._open[-1].children.append(node)
        self._open.append(node)
        self.root = self.root or node

    def endElementNS(self, name: tuple[str | None, str], qname: str | None) -> None:
        self._declared.pop()
        self._open.pop()


def read_tree(source: SchemaFile) -> XsdElement:
    """Return the tree of an XML schema document, read under defusedxml's rules."""
    handler = _TreeHandler(source)
    parser = make_parser()
    parser.setFeature(feature_namespaces, True)
    parser.setContentHandler(handler)
    given = InputSource()
    given.setByteStream(BytesIO(source.checked.encode()))
    given.setEncoding("utf-8")
    try:
        parser.parse(given)
    except SAXParseException as error:
        line, column = error.getLineNumber() or 1, (error.getColumnNumber() or 0) + 1
        raise source.refused(error.getMessage(), "schema-syntax", line, column) from None
    except DefusedXmlException as error:
        raise source.refused(f"entities and other files are refused: {error}", "schema-external") from None
    if handler.root is None or handler.root.kind != "schema":
        raise source.refused("neither a DTD, with <!ELEMENT, nor an XML schema, with root xs:schema", "not-a-schema")
    return handler.root
