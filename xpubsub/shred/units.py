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
from xpubsub.shred.unit_text import UnitText

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
        self._counter = TokenCounter() if count_tokens else None
        self._paths = UnitPaths(linear_paths)
        self._stack = [self._paths.root]
        self._envelope = Envelope(keeps_tags=enveloped)
        self._decoder = ChunkDecoder()
        self._kept = KeptBytes()
        self._text = UnitText(self._kept, self._envelope, limits)
        self._held: list[bytes] = []
        self._parser: expat.XMLParserType | None = None
        self._units: list[Unit] = []
        self._start: int | None = None
        self._doctype_start: int | None = None
        self._failure: Refused | None = None
        self._depth: Callable[[], int] = int
        self._dropped = False

    @property
    def number(self) -> int:
        """How many units have been read."""
        return self._text.number

    def outermost(self, most: int) -> list[str]:
        """Return the tag paths of elements outside of units, the shortest first."""
        return self._paths.outermost(most)

    @property
    def open_number(self) -> int | None:
        """The number of the unit that has begun and not ended, unless it is too large to be kept."""
        return None if self._start is None or self._dropped or self.ended else self._text.number + 1

    def open_since(self, position: int | None) -> tuple[bytes, int]:
        """Return what the open unit has gained since a position (None: all of its message), and the new position."""
        assert self._start is not None
        return self._text.since(position, self._start)

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
            self._units.append(Unit(self._text.number + 1, refusal=refused.details))
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
        self._text.begin_doctype(name, sysid, pubid)
        self._doctype_start = self._parser.CurrentByteIndex

    def _end_doctype(self) -> None:
        assert self._parser is not None and self._doctype_start is not None
        self._text.end_doctype(self._doctype_start, self._parser.CurrentByteIndex)
        self._doctype_start = None

    def _enter(self, name: str, attributes: list[str]) -> None:
        assert self._parser is not None
        node = self._stack[-1].children.get(name) or self._paths.child(self._stack[-1], name)
        if node.selected:
            self._begin(self._parser, attributes)
            return
        self._envelope.enter(attributes)
        self._stack.append(node)
        if self._envelope.keeps_tags:
            self._envelope.tags.append(start_tag(*self._kept.at(self._parser.CurrentByteIndex)))
        if len(self._stack) > self._limits.max_depth:
            raise LimitError(f"nested deeper than {self._limits.max_depth} (max_depth)", code="limit-depth")

    def _leave(self, name: str) -> None:
        self._envelope.leave()
        self._stack.pop()

    def _begin(self, parser: expat.XMLParserType, attributes: list[str]) -> None:
        self._start = parser.CurrentByteIndex
        self._text.begin(attributes, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        self._count(parser)

    def _complete(self) -> None:
        """The end tag of the unit has been read."""
        assert self._parser is not None and self._start is not None
        start, last, self._start = self._start, self._parser.CurrentByteIndex, None
        self._units.append(self._text.oversized() if self._dropped else self._text.complete(start, last))
        self._dropped = False
        if self._counter is not None:
            self._units[-1] = self._units[-1]._replace(tokens=self._counter.taken(self._parser))
        self._watch(self._parser)
