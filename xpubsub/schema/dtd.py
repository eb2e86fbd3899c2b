"""Reads a DTD into an element graph with expat; references to other files are refused.

The text of a DTD is read as an external subset, where parameter entities may stand inside declarations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.parsers import expat
from xml.parsers.expat import model

from xpubsub.schema.dtd_limits import Expansion, without_general
from xpubsub.schema.dtd_names import Declared, expanded
from xpubsub.schema.element_graph import Schema
from xpubsub.schema.source import SchemaFile

FOREIGN = b"<dtd/>"
"""A document without a DTD, so that expat asks for one."""


class _EndOfDTD(Exception):
    """Raised at the end of the DTD: the rest of the document is not read."""


def read_dtd(source: SchemaFile) -> Schema:
    """Return the graph of an external subset, or of a document's internal subset, whose DOCTYPE names the root."""
    declared = _Reader(source).read()
    if not declared.children:
        raise source.refused("declares no element: there is no <!ELEMENT", "not-a-schema")
    return expanded(declared, source)


class _Reader:
    """One run of expat over the declarations."""

    def __init__(self, source: SchemaFile) -> None:
        self._source = source
        self._own = source.is_document
        self._text = without_general(source.checked)
        self._expansion = Expansion(self._text)
        self._declared = Declared()
        self._parser = self._reading = expat.ParserCreate("utf-8")
        self._bounded(self._expansion.nested(self._text))

    def read(self) -> Declared:
        parser = self._parser
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        parser.UseForeignDTD(not self._own)
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EndDoctypeDeclHandler = self._end
        parser.ElementDeclHandler = self._element
        parser.AttlistDeclHandler = self._attribute
        parser.EntityDeclHandler = self._entity
        parser.ExternalEntityRefHandler = self._external
        parser.SkippedEntityHandler = self._skipped
        try:
            parser.Parse(self._text.encode() if self._own else FOREIGN, True)
        except _EndOfDTD:
            pass
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise self._source.refused(reason, "schema-syntax", error.lineno, error.offset + 1) from None
        return self._declared

    def _doctype(self, name: str, sysid: str | None, pubid: str | None, internal: bool) -> None:
        if self._own:
            self._declared.root = name

    def _end(self) -> None:
        raise _EndOfDTD

    def _element(self, name: str, content: Any) -> None:
        names = frozenset(_names(content))
        self._declared.children[name] = self._declared.children.get(name, frozenset()) | names
        if content[0] == model.XML_CTYPE_ANY:
            self._declared.anything.add(name)

    def _attribute(self, element: str, name: str, kind: str, default: str | None, required: int) -> None:
        prefix, _, rest = name.partition(":")
        if prefix == "xmlns" and default is not None:
            self._declared.namespaces.setdefault(rest, {}).setdefault(element, default)

    def _entity(self, name: str, parameter: bool, value: str | None, *source: str | None) -> None:
        if value:
            self._bounded(self._expansion.entity(name, parameter, value))

    def _external(self, context: str | None, base: str | None, sysid: str | None, pubid: str | None) -> int:
        if sysid is not None or pubid is not None:
            what = f"the DTD refers to {sysid or pubid!r}, which is not read: put all declarations into one text"
            self._refuse(what, "schema-external")
        self._reading = self._parser.ExternalEntityParserCreate(context, "utf-8")
        self._reading.Parse(self._text.encode(), True)
        return 1

    def _skipped(self, name: str, parameter: bool) -> None:
        """Refuse an undeclared entity: expat reads no declaration after it."""
        if parameter:
            self._refuse(f"the entity %{name}; is not declared", "schema-syntax")

    def _bounded(self, reason: str | None) -> None:
        if reason is not None:
            self._refuse(reason, "limit-schema")

    def _refuse(self, reason: str, code: str) -> None:
        at = self._reading
        raise self._source.refused(reason, code, at.CurrentLineNumber, at.CurrentColumnNumber + 1)


def _names(content: Any) -> Iterator[str]:
    """Yield the element names of a content model: (type, quantifier, name, children)."""
    ahead = [content]
    while ahead:
        kind, _, name, children = ahead.pop()
        if kind == model.XML_CTYPE_NAME:
            yield name
        ahead.extend(children)
