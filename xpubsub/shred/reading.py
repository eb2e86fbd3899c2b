"""One message → its nodes: one pass of expat, under defusedxml's rules and the user's limits."""

from __future__ import annotations

import codecs
import re
from typing import NoReturn
from xml.parsers import expat

from defusedxml.common import DefusedXmlException, DTDForbidden, EntitiesForbidden, ExternalReferenceForbidden

from xpubsub.errors import Error, LimitError
from xpubsub.language.numbers import to_number
from xpubsub.limits import Limits
from xpubsub.shred.node_rows import NodeRows
from xpubsub.shred.tagpaths import NUMBER, VALUE, TagNode, TagPathCache

_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._\-]+)["']""")
_UTF_32 = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", b"<\0\0\0": "utf-32-le", b"\0\0\0<": "utf-32-be",
}
"""How a message in UTF-32 starts, which expat does not read."""
_NO_CHARACTER_SETS = frozenset({"idna", "punycode", "unicode-escape", "unicode_escape", "raw-unicode-escape",
                                "raw_unicode_escape", "utf-7", "undefined"})
_UNKNOWN_ENCODING = expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]
_FORBIDDEN = {
    DTDForbidden: "dtd-forbidden", EntitiesForbidden: "entities-forbidden",
    ExternalReferenceForbidden: "external-forbidden",
}


class Refused(Exception):
    """A message cannot be read; `details` are code, reason, line and column."""

    def __init__(self, code: str, reason: str, line: int | None = None, column: int | None = None) -> None:
        self.details = (code, reason, line, column)
        super().__init__(reason)


class Reading:
    """The state while one message is read: open elements, open text, and what they collect."""

    def __init__(self, event_id: int, cache: TagPathCache, limits: Limits, rows: NodeRows) -> None:
        self._event_id = event_id
        self._cache = cache
        self._limits = limits
        self._rows = rows
        self._last_node = 0
        self._ids: list[int] = []
        self._open: list[tuple[TagNode, int]] = [(cache.root, 0)]
        self._text_node = 0
        self._text_start = 0
        self._chunks: list[str] = []
        self._collecting = 1 if cache.root.use & VALUE else 0

    def read(self, xml: object) -> None:
        """Read a whole message or raise `Refused`."""
        if isinstance(xml, str):
            self._parse(_encode(xml), "utf-8")
        elif isinstance(xml, bytes) and xml[:4] in _UTF_32:
            self._parse(_encode(_decode(xml, _UTF_32[xml[:4]])), "utf-8")
        elif isinstance(xml, bytes):
            self._parse(xml, None)
        else:
            raise Refused("not-text", f"a message is str or bytes, not {type(xml).__name__}")
        self._leave()

    def _parse(self, data: bytes, encoding: str | None) -> None:
        if len(data) > self._limits.max_bytes:
            raise Refused("limit-bytes", f"larger than {self._limits.max_bytes} bytes (max_bytes)")
        parser = self._parser(encoding)
        try:
            parser.Parse(data, True)
        except (DefusedXmlException, Error) as error:
            raise _refusal(error, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1) from None
        except expat.ExpatError as error:
            if error.code == _UNKNOWN_ENCODING and not encoding:
                return self._reparse(data)
            reason = expat.ErrorString(error.code)
            raise Refused("not-well-formed", reason, error.lineno, error.offset + 1) from None
        except (ValueError, LookupError):
            self._reparse(data)

    def _reparse(self, data: bytes) -> None:
        """Expat reads few encodings; Python decodes the others by the name in the declaration."""
        declared = _ENCODING.match(data)
        text = _decode(data, declared[1].decode("ascii") if declared else "utf-8")
        self._parse(_encode(text), "utf-8")

    def _parser(self, encoding: str | None) -> expat.XMLParserType:
        parser = expat.ParserCreate(encoding, "\n")
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.specified_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartCdataSectionHandler = self._cdata
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity
        parser.UnparsedEntityDeclHandler = self._unparsed
        parser.ExternalEntityRefHandler = self._external
        parser.SkippedEntityHandler = self._skipped
        return parser

    def _start(self, name: str, attributes: list[str]) -> None:
        self._close_text()
        parent = self._open[-1][0]
        node = parent.children.get(name) or self._cache.child(parent, name)
        self._last_node += 1
        self._ids.append(self._last_node)
        self._open.append((node, len(self._chunks)))
        if node.use & VALUE:
            self._collecting += 1
        if attributes:
            self._attributes(node, attributes)
        if len(self._ids) > self._limits.max_depth:
            raise LimitError(f"nested deeper than {self._limits.max_depth} (max_depth)", code="limit-depth")
        if self._last_node > self._limits.max_nodes:
            raise LimitError(f"more than {self._limits.max_nodes} nodes (max_nodes)", code="limit-nodes")

    def _attributes(self, node: TagNode, attributes: list[str]) -> None:
        if len(attributes) > 2 * self._limits.max_attributes:
            reason = f"an element with more than {self._limits.max_attributes} attributes (max_attributes)"
            raise LimitError(reason, code="limit-attributes")
        for index in range(0, len(attributes), 2):
            name = attributes[index]
            attribute = node.attributes.get(name) or self._cache.attribute(node, name)
            self._last_node += 1
            if attribute.use:
                self._emit(attribute, self._last_node, attributes[index + 1], leaf=True)

    def _end(self, name: str) -> None:
        self._close_text()
        self._leave()
        self._ids.pop()

    def _leave(self) -> None:
        """Close the innermost element, or at the end the document: its value is complete."""
        node, start = self._open.pop()
        if not node.use:
            return
        if node.use & VALUE:
            self._collecting -= 1
            self._emit(node, self._ids[-1] if self._ids else 0, "".join(self._chunks[start:]))
            if not self._collecting:
                self._chunks.clear()
        else:
            self._emit(node, self._ids[-1] if self._ids else 0, None)

    def _emit(self, node: TagNode, node_id: int, value: str | None, leaf: bool = False) -> None:
        rows = self._rows
        rows.events.append(self._event_id)
        rows.tagpaths.append(node.tagpath_id)
        rows.nodes.append(node_id)
        rows.ids.extend(self._ids)
        if leaf:
            rows.ids.append(node_id)
        rows.ends.append(len(rows.ids))
        rows.values.append(value if node.use & VALUE else None)
        rows.numbers.append(to_number(value) if value is not None and node.use & NUMBER else None)

    def _characters(self, data: str) -> None:
        if not self._text_node:
            self._open_text()
        if self._collecting:
            self._chunks.append(data)

    def _open_text(self) -> None:
        self._last_node += 1
        self._text_node = self._last_node
        self._text_start = len(self._chunks)
        parent = self._open[-1][0]
        if (parent.text or self._cache.text(parent)).use & VALUE:
            self._collecting += 1

    def _close_text(self) -> None:
        if not self._text_node:
            return
        text = self._open[-1][0].text
        assert text is not None
        if text.use:
            self._emit(text, self._text_node, "".join(self._chunks[self._text_start :]), leaf=True)
        self._text_node = 0
        if text.use & VALUE:
            self._collecting -= 1
            if not self._collecting:
                self._chunks.clear()

    def _cdata(self) -> None:
        if not self._text_node:
            self._open_text()

    def _comment(self, data: str) -> None:
        self._close_text()

    def _instruction(self, target: str, data: str) -> None:
        self._close_text()

    def _doctype(self, name: str, sysid: str | None, pubid: str | None, internal: bool) -> None:
        if self._limits.forbid_dtd:
            raise DTDForbidden(name, sysid, pubid)

    def _entity(self, name: str, parameter: bool, value: str | None, *source: str | None) -> NoReturn:
        raise EntitiesForbidden(name, value, *source)

    def _unparsed(self, name: str, *source: str | None) -> NoReturn:
        raise EntitiesForbidden(name, None, *source)

    def _external(self, context: str, base: str | None, sysid: str | None, pubid: str | None) -> NoReturn:
        raise ExternalReferenceForbidden(context, base, sysid, pubid)

    def _skipped(self, name: str, parameter: bool) -> NoReturn:
        raise LimitError(f"the entity &{name}; is not defined", code="undefined-entity")


def _decode(data: bytes, encoding: str) -> str:
    try:
        if codecs.lookup(encoding).name in _NO_CHARACTER_SETS:
            raise LookupError(f"{encoding} is not a character set")
        return data.decode(encoding)
    except (LookupError, UnicodeError, ValueError) as error:
        raise Refused("encoding", f"cannot be decoded: {error}", 1, 1) from None


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused("encoding", f"cannot be encoded: {error.reason}") from None


def _refusal(error: Exception, line: int, column: int) -> Refused:
    if isinstance(error, LimitError):
        return Refused(error.code, error.reason, line, column)
    return Refused(_FORBIDDEN[type(error)], str(error), line, column)
