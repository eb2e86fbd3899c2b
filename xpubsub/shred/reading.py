"""One message → its nodes: one pass of expat, under defusedxml's rules and the user's limits."""

from __future__ import annotations

import codecs
import re
from functools import partial
from typing import NoReturn
from xml.parsers import expat

from defusedxml.common import DefusedXmlException, DTDForbidden, EntitiesForbidden, ExternalReferenceForbidden

from xpubsub.errors import Error, LimitError
from xpubsub.limits import Limits
from xpubsub.shred.copies import CopyRecorder
from xpubsub.shred.handlers import token_handlers
from xpubsub.shred.node_rows import NodeRows
from xpubsub.shred.tagpaths import TagPathCache

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


class Reader:
    """Reads messages one after the other into the same rows."""

    def __init__(self, cache: TagPathCache, limits: Limits, rows: NodeRows) -> None:
        self._limits = limits
        self._handlers = token_handlers(cache, limits, rows.add)
        self._copying = CopyRecorder(self._handlers, rows.copies.append, limits) if cache.copying else None

    def read(self, event_id: int, xml: object) -> None:
        """Read a whole message or raise `Refused`."""
        self._handlers.begin(event_id)
        if isinstance(xml, str):
            self._parse(_encode(xml), "utf-8")
        elif isinstance(xml, bytes) and xml[:4] in _UTF_32:
            self._parse(_encode(_decode(xml, _UTF_32[xml[:4]])), "utf-8")
        elif isinstance(xml, bytes) and self._copying is not None and (encoding := _other_encoding(xml)) is not None:
            self._parse(_encode(_decode(xml, encoding)), "utf-8")
        elif isinstance(xml, bytes):
            self._parse(xml, None)
        else:
            raise Refused("not-text", f"a message is str or bytes, not {type(xml).__name__}")
        self._handlers.finish()

    def _parse(self, data: bytes, encoding: str | None) -> None:
        if len(data) > self._limits.max_bytes:
            raise Refused("limit-bytes", f"larger than {self._limits.max_bytes} bytes (max_bytes)")
        parser = self._parser(encoding)
        if self._copying is not None:
            self._copying.attach(parser, data)
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
        _, start, end, characters, close_text, _, _ = self._handlers
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.specified_attributes = True
        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = characters
        parser.StartCdataSectionHandler = partial(characters, "")
        parser.CommentHandler = close_text
        parser.ProcessingInstructionHandler = close_text
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = _entity
        parser.UnparsedEntityDeclHandler = _unparsed
        parser.ExternalEntityRefHandler = _external
        parser.SkippedEntityHandler = _skipped
        return parser

    def _doctype(self, name: str, sysid: str | None, pubid: str | None, internal: bool) -> None:
        if self._limits.forbid_dtd:
            raise DTDForbidden(name, sysid, pubid)


def _entity(name: str, parameter: bool, value: str | None, *source: str | None) -> NoReturn:
    raise EntitiesForbidden(name, value, *source)


def _unparsed(name: str, *source: str | None) -> NoReturn:
    raise EntitiesForbidden(name, None, *source)


def _external(context: str, base: str | None, sysid: str | None, pubid: str | None) -> NoReturn:
    raise ExternalReferenceForbidden(context, base, sysid, pubid)


def _skipped(name: str, parameter: bool) -> NoReturn:
    raise LimitError(f"the entity &{name}; is not defined", code="undefined-entity")


def _other_encoding(data: bytes) -> str | None:
    """The encoding of a message if it is not UTF-8."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in data[:4]:
        return "utf-16" if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else (
            "utf-16-le" if data[1:2] == b"\0" else "utf-16-be")
    declared = _ENCODING.match(data)
    name = declared[1].decode("ascii").lower() if declared else "utf-8"
    return None if name in ("utf-8", "utf8", "us-ascii", "ascii") else name


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
