"""Decodes a document chunk by chunk into UTF-8, as `encodings` decodes whole messages."""

from __future__ import annotations

import codecs

from xpubsub.errors import Error
from xpubsub.shred.encodings import (
    Refused,
    by_first_bytes,
    character_set,
    encoding_of,
    place_after,
    reads_as_utf_8,
    refuse_claim,
    refuse_declared,
    wrong_byte,
)

_DECLARATION = "<?xml"
_LONGEST = 2_000
"""Bytes in which an XML declaration must end."""


class ChunkDecoder:
    """Turns the chunks of a document, bytes or str, into UTF-8."""

    def __init__(self) -> None:
        self.encoding: str | None = None
        """What the parser must assume, whatever the document declares; None: what it declares."""
        self.refused: Refused | None = None
        """Why the document cannot be decoded any further."""
        self.decided = False
        """Whether the encoding is known; until then nothing comes out."""
        self._head = b""
        self._text: bool | None = None
        self._decoder: codecs.IncrementalDecoder | None = None
        self._name = "utf-8"
        self._line = self._column = 1

    def feed(self, chunk: object) -> bytes:
        """Return the next bytes in UTF-8, up to the first that is wrong."""
        if self._text not in (None, isinstance(chunk, str)):
            raise Error("the chunks of a document must all be bytes or all be str")
        self._text = isinstance(chunk, str)
        if isinstance(chunk, str):
            self.encoding, self.decided = "utf-8", True
            return self._encoded(chunk)
        if not isinstance(chunk, bytes | bytearray | memoryview):
            raise Error(f"a chunk of a document must be bytes or str, not {type(chunk).__name__}")
        return self._bytes(bytes(chunk), final=False)

    def close(self) -> bytes:
        """Return the last bytes."""
        return b"" if self._text in (True, None) else self._bytes(b"", final=True)

    def _bytes(self, chunk: bytes, *, final: bool) -> bytes:
        if not self.decided:
            self._head += chunk
            if not (final or _decidable(self._head)):
                return b""
            chunk, self._head = self._head, b""
            self._decide(chunk)
        if self._decoder is None or self.refused is not None:
            return b"" if self.refused is not None else chunk
        try:
            return self._encoded(self._decoder.decode(chunk, final))
        except UnicodeDecodeError as error:
            return self._up_to(error)

    def _decide(self, head: bytes) -> None:
        self.decided = True
        try:
            self._name = encoding_of(head)
            refuse_claim(head, self._name)
            if not reads_as_utf_8(self._name):
                self.encoding = "utf-8"
                self._decoder = character_set(self._name).incrementaldecoder("strict")
                refuse_declared(head, head[:_LONGEST].decode(self._name, "ignore"), self._name)
        except Refused as refused:
            self.refused = refused

    def _up_to(self, error: UnicodeDecodeError) -> bytes:
        """Return what comes before a wrong byte, and refuse the rest."""
        text = error.object[: error.start].decode(self._name, "replace")
        before = self._encoded(text)
        self.refused = Refused("encoding", wrong_byte(error, self._name), self._line, self._column)
        return before

    def _encoded(self, text: str) -> bytes:
        try:
            made = text.encode("utf-8")
        except UnicodeEncodeError as error:
            made = text[: error.start].encode("utf-8")
            self._move(text[: error.start])
            reason = f"half of a surrogate pair cannot be encoded: {text[error.start]!r}"
            self.refused = Refused("encoding", reason, self._line, self._column)
        else:
            self._move(text)
        return made

    def _move(self, text: str) -> None:
        """Advance the place in the document, for errors."""
        lines, column = place_after(text)
        self._column = column if lines > 1 else self._column + column - 1
        self._line += lines - 1


def _decidable(head: bytes) -> bool:
    """Whether the first bytes are enough to know the encoding: they contain the whole XML declaration, if any."""
    if len(head) < 4:
        return False
    text = head.removeprefix(codecs.BOM_UTF8).decode(by_first_bytes(head) or "latin-1", "ignore").lstrip("\ufeff")
    started = text[: len(_DECLARATION)]
    return not _DECLARATION.startswith(started) or "?>" in text or len(head) > _LONGEST
