"""Reads one message into nodes in one pass of expat, under defusedxml's rules and the user's limits."""

from __future__ import annotations

from functools import partial
from typing import NoReturn
from xml.parsers import expat

from defusedxml.common import DefusedXmlException, DTDForbidden, EntitiesForbidden, ExternalReferenceForbidden

from xpubsub.errors import Error, LimitError
from xpubsub.limits import Limits
from xpubsub.shred.copies import CopyRecorder
from xpubsub.shred.encodings import (
    Refused,
    decoded,
    encoded,
    encoding_of,
    is_utf_32,
    reads_as_utf_8,
    undecodable,
)
from xpubsub.shred.handlers import Handlers, token_handlers
from xpubsub.shred.node_rows import NodeRows
from xpubsub.shred.skipping import Marker, Skipper
from xpubsub.shred.tagpaths import TagPathCache

__all__ = ["Reader", "Refused"]
_UNKNOWN_ENCODING = expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]
_INCORRECT_ENCODING = expat.errors.codes[expat.errors.XML_ERROR_INCORRECT_ENCODING]
_FORBIDDEN: dict[type[Exception], tuple[str, str]] = {
    DTDForbidden: ("dtd-forbidden", "has a document type declaration, {0.name!r}: forbid_dtd refuses it"),
    EntitiesForbidden: ("entities-forbidden", "declares the entity {0.name!r}; entity declarations are refused"),
    ExternalReferenceForbidden: (
        "external-forbidden", "refers to the external entity {0.sysid!r}; external references are refused"),
}
"""The code and the reason of each refusal."""


class Reader:
    """Reads messages one after the other into the same rows, reusing the handlers."""

    def __init__(self, cache: TagPathCache, limits: Limits, rows: NodeRows) -> None:
        self._limits = limits
        self._handlers = token_handlers(cache, limits, rows.add)
        self._copying = CopyRecorder(self._handlers, rows.copies.append, limits) if cache.copying else None
        skipping = Marker if cache.marking else Skipper
        self._skipper = (
            skipping(cache, self._handlers, self._copying, rows.spilled.append, limits) if cache.spilled else None)

    def read(self, event_id: int, xml: object) -> None:
        """Read a message; raises `Refused` if it cannot be read."""
        self._handlers.begin(event_id)
        if isinstance(xml, str):
            self._parse(encoded(xml), "utf-8")
        elif isinstance(xml, bytes):
            decoding = is_utf_32(xml) or (self._copying is not None and not reads_as_utf_8(encoding_of(xml)))
            self._parse(encoded(decoded(xml)) if decoding else xml, "utf-8" if decoding else None)
        else:
            raise Refused("not-text", f"a message must be str or bytes, not {type(xml).__name__}")
        self._handlers.finish(xml)

    def _parse(self, data: bytes, encoding: str | None) -> None:
        if len(data) > self._limits.max_bytes:
            raise Refused("limit-bytes", f"larger than {self._limits.max_bytes} bytes (max_bytes)")
        parser = shredding_parser(encoding, self._handlers, self._limits)
        if self._copying is not None:
            self._copying.attach(parser, data)
        try:
            if self._skipper is not None:
                self._skipper.parse(parser, data, leaping=encoding is not None or reads_as_utf_8(encoding_of(data)))
            else:
                parser.Parse(data, True)
        except (DefusedXmlException, Error) as error:
            raise refusal_of(error, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1) from None
        except expat.ExpatError as error:
            if error.code == _UNKNOWN_ENCODING and not encoding:
                return self._reparse(data)
            raise _not_well_formed(error, data if encoding is None else b"", parser.ErrorByteIndex) from None
        except (ValueError, LookupError):
            self._reparse(data)

    def _reparse(self, data: bytes) -> None:
        """Decode with Python and parse again: expat reads few encodings."""
        self._parse(encoded(decoded(data)), "utf-8")


def shredding_parser(encoding: str | None, handlers: Handlers, limits: Limits) -> expat.XMLParserType:
    """Return a parser that calls the handlers and refuses what is dangerous."""
    parser = expat.ParserCreate(encoding, "\n")
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.specified_attributes = True
    parser.StartElementHandler = handlers.start
    parser.EndElementHandler = handlers.end
    parser.CharacterDataHandler = handlers.characters
    parser.StartCdataSectionHandler = partial(handlers.characters, "")
    parser.CommentHandler = handlers.close_text
    parser.ProcessingInstructionHandler = handlers.close_text
    parser.SkippedEntityHandler = _skipped
    guard(parser, limits)
    return parser


def guard(parser: expat.XMLParserType, limits: Limits) -> None:
    """Make a parser refuse entity declarations, external references and, if forbidden, document types."""
    parser.EntityDeclHandler = _entity
    parser.UnparsedEntityDeclHandler = _unparsed
    parser.ExternalEntityRefHandler = _external
    if limits.forbid_dtd:
        parser.StartDoctypeDeclHandler = _doctype


def _doctype(name: str, sysid: str | None, pubid: str | None, internal: bool) -> NoReturn:
    raise DTDForbidden(name, sysid, pubid)


def _entity(name: str, parameter: bool, value: str | None, *source: str | None) -> NoReturn:
    raise EntitiesForbidden(name, value, *source)


def _unparsed(name: str, *source: str | None) -> NoReturn:
    raise EntitiesForbidden(name, None, *source)


def _external(context: str, base: str | None, sysid: str | None, pubid: str | None) -> NoReturn:
    raise ExternalReferenceForbidden(context, base, sysid, pubid)


def _skipped(name: str, parameter: bool) -> NoReturn:
    raise LimitError(f"the entity &{name}; is not defined", code="undefined-entity")


def refusal_of(error: Exception, line: int, column: int) -> Refused:
    """Return the refusal of a message for an error that a handler raised."""
    if isinstance(error, LimitError):
        return Refused(error.code, error.reason, line, column)
    code, sentence = _FORBIDDEN[type(error)]
    return Refused(code, sentence.format(error), line, column)


def _not_well_formed(error: expat.ExpatError, data: bytes, index: int) -> Refused:
    """Return expat's reason, or that the bytes cannot be decoded."""
    refused = undecodable(data, index)
    code = "encoding" if error.code == _INCORRECT_ENCODING else "not-well-formed"
    return refused or Refused(code, expat.ErrorString(error.code), error.lineno, error.offset + 1)
