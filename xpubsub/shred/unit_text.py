"""Writes units as messages: their bytes in the document, and what they need from the elements around them."""

from __future__ import annotations

from xpubsub.limits import Limits
from xpubsub.shred.envelope import Envelope
from xpubsub.shred.kept_bytes import KeptBytes
from xpubsub.shred.start_tags import start_tag
from xpubsub.shred.unit import Unit


class UnitText:
    """Makes the units of one document, one after the other; positions are those of the kept bytes."""

    def __init__(self, kept: KeptBytes, envelope: Envelope, limits: Limits) -> None:
        self.number = 0
        """The number of the last complete unit."""
        self._kept = kept
        self._envelope = envelope
        self._max_bytes = limits.max_bytes
        self._doctype = b""
        self._line = self._column = 0
        self._added = b""

    def begin_doctype(self, name: str, sysid: str | None, pubid: str | None) -> None:
        """Write a document type up to its internal subset."""
        public = f' PUBLIC "{pubid}"' if pubid is not None else " SYSTEM" if sysid is not None else ""
        quote = "'" if sysid and '"' in sysid else '"'
        self._doctype = f"<!DOCTYPE {name}{public}{'' if sysid is None else f' {quote}{sysid}{quote}'}".encode()

    def end_doctype(self, start: int, last: int) -> None:
        """Keep the document type, from the bracket of its internal subset or the last angle bracket on."""
        piece, offset = self._kept.at(start)
        self._doctype += piece[offset : piece.index(b">", offset + last - start) + 1]

    def begin(self, attributes: list[str], line: int, column: int) -> None:
        """Open a unit, whose start tag has been read."""
        self._line, self._column = line, column
        self._added = self._envelope.added(attributes)

    def since(self, position: int | None, start: int) -> tuple[bytes, int]:
        """Return what the open unit has gained since a position (None: all of its message), and the new position."""
        if position is not None:
            piece, offset = self._kept.at(position) if position < self._kept.end else (b"", 0)
            return piece[offset:], self._kept.end
        piece, first = self._kept.at(start)
        name = first + len(start_tag(piece, first).name) + 1
        return b"".join([self._before(), piece[first:name], self._declared(), piece[name:]]), self._kept.end

    def complete(self, start: int, last: int) -> Unit:
        """Return the unit whose end tag, or whose only tag, begins at `last`."""
        if last - start > self._max_bytes:
            return self.oversized()
        piece, first = self._kept.at(start)
        tag = start_tag(piece, first)
        end = first + len(tag.text) if tag.empty else piece.index(b">", first + last - start) + 1
        if end - first > self._max_bytes:
            return self.oversized()
        self.number += 1
        name, added, before = first + len(tag.name) + 1, self._declared(), self._before()
        xml = piece[first:end]
        if added or before:
            xml = b"".join([before, piece[first:name], added, piece[name:end], self._after()])
        return Unit(self.number, xml, self._line, self._column, end - first, None, before,
                    len(tag.name.decode("utf-8")) + 1, len(added.decode("utf-8")))

    def oversized(self) -> Unit:
        """Return the refusal of a unit that is larger than a message may be."""
        self.number += 1
        reason = f"larger than {self._max_bytes} bytes (max_bytes)"
        return Unit(self.number, line=self._line, column=self._column,
                    refusal=("limit-bytes", reason, self._line, self._column))

    def _before(self) -> bytes:
        """What a message has in front of its unit."""
        return b"".join([self._doctype, *(tag.text for tag in self._envelope.tags)])

    def _declared(self) -> bytes:
        """What a unit's start tag has to declare, unless its message has the tags around it."""
        return b"" if self._envelope.keeps_tags else self._added

    def _after(self) -> bytes:
        return b"".join(b"</%b>" % tag.name for tag in reversed(self._envelope.tags))
