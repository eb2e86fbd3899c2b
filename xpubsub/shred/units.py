"""Cuts a document of any length into units while it is read: the outermost elements that some paths select."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from xml.parsers import expat

from defusedxml.common import DefusedXmlException

from xpubsub.errors import Error, LimitError
from xpubsub.limits import Limits
from xpubsub.shred.decoding import ChunkDecoder
from xpubsub.shred.encodings import Refused, wrong_byte
from xpubsub.shred.envelope import Envelope
from xpubsub.shred.kept_bytes import KeptBytes
from xpubsub.shred.reading import guard, refusal_of
from xpubsub.shred.start_tags import start_tag
from xpubsub.shred.token_counter import TokenCounter
from xpubsub.shred.unit import Unit
from xpubsub.shred.unit_paths import UnitPaths

__all__ = ["Unit", "UnitCutter"]
_LONG_TOKEN = 65_536
"""Bytes of an incomplete token from which on it is not read again for each small chunk."""


class UnitCutter:
    """Takes a document in chunks, bytes or str, and returns its units as soon as they are complete.

    An error ends the document: it is the refusal of the last unit. A unit larger than `max_bytes` is refused without
    being kept, and the document goes on. If `enveloped`, a message has the start and end tags of the elements around
    its unit; otherwise its root declares what it inherits from them: namespaces, `xml:lang`, `xml:base`, `xml:space`.
    """

    def __init__(
        self, linear_paths: Iterable[str], limits: Limits, *, enveloped: bool = False, count_tokens: bool = False
    ) -> None:
        self.ended = False
        """Whether the document has ended, properly or by an error."""
        self._limits = limits
        self._enveloped = enveloped
        self._counter = TokenCounter() if count_tokens else None
        self._paths = UnitPaths(linear_paths)
        self._stack = [self._paths.root]
        self._envelope = Envelope()
        self._decoder = ChunkDecoder()
        self._kept = KeptBytes()
        self._held: list[bytes] = []
        self._parser: expat.XMLParserType | None = None
        self._units: list[Unit] = []
        self._number = 0
        self._doctype = b""
        self._start: int | None = None
        self._doctype_start: int | None = None
        self._failure: Refused | None = None
        self._depth: Callable[[], int] = int
        self._dropped = False
        self._line = self._column = 0
        self._added = b""

    @property
    def open_number(self) -> int | None:
        """The number of the unit that has begun and not ended, unless it is too large to be kept."""
        return None if self._start is None or self._dropped or self.ended else self._number + 1

    def open_since(self, position: int | None) -> tuple[bytes, int]:
        """Return what the open unit has gained since a position (None: all of its message), and the new position."""
        assert self._start is not None
        if position is not None:
            piece, offset = self._kept.at(position) if position < self._kept.end else (b"", 0)
            return piece[offset:], self._kept.end
        piece, first = self._kept.at(self._start)
        name = first + len(start_tag(piece, first).name) + 1
        added = b"" if self._enveloped else self._added
        return b"".join([self._before(), piece[first:name], added, piece[name:]]), self._kept.end

    def feed(self, chunk: object) -> list[Unit]:
        """Read a chunk; return the units that are complete."""
        if self.ended:
            return []
        self._held.append(self._decoder.feed(chunk))
        return [] if self._waits() else self._read()

    def close(self) -> list[Unit]:
        """End the document; return what is left: nothing, or the reason why it is incomplete."""
        if self.ended:
            return []
        self._held.append(self._decoder.close())
        return self._read(final=True)

    def fail(self, code: str, reason: str) -> None:
        """Make `close` end the document with an error, because the rest of it cannot be read."""
        self._failure = Refused(code, reason)

    def _waits(self) -> bool:
        """Whether to hold back the middle of a long token, so that it is not read again and again from its start."""
        pending = 0 if self._parser is None else self._kept.end - self._parser.CurrentByteIndex
        if pending < _LONG_TOKEN or b">" in self._held[-1] or self._decoder.refused is not None:
            return False
        return sum(map(len, self._held)) < pending

    def _read(self, *, final: bool = False) -> list[Unit]:
        data, self._held = b"".join(self._held), []
        try:
            if self._failure is not None:
                raise self._failure
            if self._decoder.decided:
                self._parse(data, final)
        except Refused as refused:
            self.ended = True
            self._units.append(Unit(self._number + 1, refusal=refused.details))
        found, self._units = self._units, []
        return found

    def _parse(self, data: bytes, final: bool) -> None:
        parser = self._parser = self._parser or self._created()
        if data:
            self._kept.add(data)
        refused = self._decoder.refused
        try:
            parser.Parse(data, final and refused is None)
        except (DefusedXmlException, Error) as error:
            raise refusal_of(error, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1) from None
        except expat.ExpatError as error:
            raise self._malformed(error, parser.ErrorByteIndex) from None
        if refused is not None:
            raise refused
        self.ended = final
        self._check(parser)
        if not self._dropped and self._doctype_start is None:
            self._kept.forget(parser.CurrentByteIndex if self._start is None else self._start)

    def _malformed(self, error: expat.ExpatError, index: int) -> Refused:
        piece, offset = self._kept.at(index) if 0 <= index < self._kept.end else (b"", 0)
        try:
            piece[offset : offset + 4].decode("utf-8")
        except UnicodeDecodeError as wrong:
            if wrong.start == 0:
                return Refused("encoding", wrong_byte(wrong, "utf-8"), error.lineno, error.offset + 1)
        return Refused("not-well-formed", expat.ErrorString(error.code), error.lineno, error.offset + 1)

    def _check(self, parser: expat.XMLParserType) -> None:
        """Bound the memory: no token may be larger than a message, no oversized unit deeper."""
        most = self._limits.max_bytes
        if self._kept.end - parser.CurrentByteIndex > most:
            raise Refused("limit-bytes", f"a tag or comment larger than {most} bytes (max_bytes)",
                          parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        if self._doctype_start is not None and self._kept.end - self._doctype_start > most:
            raise Refused("limit-bytes", f"a document type larger than {most} bytes (max_bytes)", 1, 1)
        if self._start is not None and self._kept.end - self._start > most:
            self._drop(parser)

    def _drop(self, parser: expat.XMLParserType) -> None:
        """Do not keep an oversized unit, whose depth is limited as well."""
        if self._depth() > self._limits.max_depth:
            raise Refused("limit-depth", f"nested deeper than {self._limits.max_depth} (max_depth)",
                          parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        self._dropped = True
        self._kept.forget(parser.CurrentByteIndex)

    def _created(self) -> expat.XMLParserType:
        parser = expat.ParserCreate(self._decoder.encoding, "\n")
        if hasattr(parser, "SetReparseDeferralEnabled"):
            parser.SetReparseDeferralEnabled(False)
        parser.ordered_attributes = True
        parser.specified_attributes = True
        guard(parser, self._limits)
        if not self._limits.forbid_dtd:
            parser.StartDoctypeDeclHandler = self._begin_doctype
            parser.EndDoctypeDeclHandler = self._end_doctype
        self._watch(parser)
        return parser

    def _watch(self, parser: expat.XMLParserType) -> None:
        """Look for the next unit."""
        parser.StartElementHandler = self._enter
        parser.EndElementHandler = self._leave
        parser.StartNamespaceDeclHandler = self._envelope.declare
        parser.EndNamespaceDeclHandler = self._envelope.forget

    def _count(self, parser: expat.XMLParserType) -> None:
        """Follow an open unit: only its depth, as fast as possible."""
        depth = 0

        def start(name: str, attributes: list[str]) -> None:
            nonlocal depth
            depth += 1

        def end(name: str) -> None:
            nonlocal depth
            if depth:
                depth -= 1
            else:
                self._complete()

        self._depth = lambda: depth
        parser.StartNamespaceDeclHandler = None
        parser.EndNamespaceDeclHandler = None
        parser.StartElementHandler = start
        parser.EndElementHandler = end
        if self._counter is not None:
            self._counter.attach(parser, start, end)

    def _begin_doctype(self, name: str, sysid: str | None, pubid: str | None, internal: bool) -> None:
        assert self._parser is not None
        self._doctype = _doctype(name, sysid, pubid)
        self._doctype_start = self._parser.CurrentByteIndex

    def _end_doctype(self) -> None:
        """Keep the document type, from the bracket of its internal subset or the last angle bracket on."""
        assert self._parser is not None and self._doctype_start is not None
        piece, offset = self._kept.at(self._doctype_start)
        after = piece.index(b">", offset + self._parser.CurrentByteIndex - self._doctype_start) + 1
        self._doctype += piece[offset:after]
        self._doctype_start = None

    def _enter(self, name: str, attributes: list[str]) -> None:
        assert self._parser is not None
        node = self._stack[-1].children.get(name) or self._paths.child(self._stack[-1], name)
        if node.selected:
            self._begin(self._parser, attributes)
            return
        self._envelope.enter(attributes)
        self._stack.append(node)
        if self._enveloped:
            self._envelope.tags.append(start_tag(*self._kept.at(self._parser.CurrentByteIndex)))
        if len(self._stack) > self._limits.max_depth:
            raise LimitError(f"nested deeper than {self._limits.max_depth} (max_depth)", code="limit-depth")

    def _leave(self, name: str) -> None:
        self._envelope.leave()
        self._stack.pop()

    def _begin(self, parser: expat.XMLParserType, attributes: list[str]) -> None:
        self._start = parser.CurrentByteIndex
        self._line, self._column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        self._added = self._envelope.added(attributes)
        self._count(parser)

    def _complete(self) -> None:
        """The end tag of the unit has been read."""
        assert self._parser is not None and self._start is not None
        self._number += 1
        start, last, self._start = self._start, self._parser.CurrentByteIndex, None
        if self._dropped or last - start > self._limits.max_bytes:
            self._dropped = False
            self._units.append(self._oversized())
        else:
            self._units.append(self._made(start, last))
        if self._counter is not None:
            self._units[-1] = self._units[-1]._replace(tokens=self._counter.taken(self._parser))
        self._watch(self._parser)

    def _oversized(self) -> Unit:
        reason = f"larger than {self._limits.max_bytes} bytes (max_bytes)"
        return Unit(self._number, line=self._line, column=self._column,
                    refusal=("limit-bytes", reason, self._line, self._column))

    def _made(self, start: int, last: int) -> Unit:
        piece, first = self._kept.at(start)
        tag = start_tag(piece, first)
        end = first + len(tag.text) if tag.empty else piece.index(b">", first + last - start) + 1
        if end - first > self._limits.max_bytes:
            return self._oversized()
        before = self._before()
        if self._enveloped:
            after = b"".join(b"</%b>" % each.name for each in reversed(self._envelope.tags))
            return Unit(self._number, b"".join([before, piece[first:end], after]), self._line, self._column,
                        end - first, None, before)
        name, added = first + len(tag.name) + 1, self._added
        xml = b"".join([before, piece[first:name], added, piece[name:end]]) if added or before else piece[first:end]
        return Unit(self._number, xml, self._line, self._column, end - first, None, before,
                    len(tag.name.decode("utf-8")) + 1, len(added.decode("utf-8")))

    def _before(self) -> bytes:
        """What a message has in front of its unit."""
        return b"".join([self._doctype, *(tag.text for tag in self._envelope.tags)])


def _doctype(name: str, sysid: str | None, pubid: str | None) -> bytes:
    """Write a document type up to its internal subset."""
    public = f' PUBLIC "{pubid}"' if pubid is not None else " SYSTEM" if sysid is not None else ""
    quote = "'" if sysid and '"' in sysid else '"'
    return f"<!DOCTYPE {name}{public}{'' if sysid is None else f' {quote}{sysid}{quote}'}".encode()
