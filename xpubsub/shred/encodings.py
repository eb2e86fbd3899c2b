"""Detects the encoding of a message and decodes it; an error names the place of the first wrong byte."""

from __future__ import annotations

import codecs
import re

_DECLARED = r"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._\-]+)["']"""
_IN_BYTES, _IN_TEXT = re.compile(_DECLARED.encode()), re.compile(_DECLARED)
_UTF_32 = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", b"<\0\0\0": "utf-32-le", b"\0\0\0<": "utf-32-be",
}
"""The byte order marks of UTF-32, which expat does not read."""
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
_NO_CHARACTER_SETS = frozenset({"idna", "punycode", "unicode-escape", "unicode_escape", "raw-unicode-escape",
                                "raw_unicode_escape", "utf-7", "undefined"})
_WRONG = "encoding specified in XML declaration is incorrect"


class Refused(Exception):
    """A message cannot be read; `details` are code, reason, line and column."""

    def __init__(self, code: str, reason: str, line: int | None = None, column: int | None = None) -> None:
        self.details = (code, reason, line, column)
        super().__init__(reason)


def is_utf_32(data: bytes) -> bool:
    """Whether a message is in UTF-32."""
    return data[:4] in _UTF_32


def encoding_of(data: bytes) -> str:
    """Return the encoding of a message, by its first bytes or else by its declaration."""
    seen = by_first_bytes(data)
    if seen is not None:
        return seen
    declared = _IN_BYTES.match(data.removeprefix(codecs.BOM_UTF8))
    return declared[1].decode("ascii").lower() if declared else "utf-8"


def reads_as_utf_8(encoding: str) -> bool:
    """Whether bytes in an encoding are valid UTF-8 as they are."""
    return encoding in ("utf-8", "utf8", "us-ascii", "ascii")


def decoded(data: bytes) -> str:
    """Decode a message; raises `Refused` with the place of the first byte that cannot be decoded."""
    encoding = encoding_of(data)
    refuse_claim(data, encoding)
    text = _decoded(data, encoding)
    refuse_declared(data, text, encoding)
    return text


def by_first_bytes(data: bytes) -> str | None:
    """Return the encoding that the first bytes of a message prove; None if a declaration decides."""
    return _UTF_32.get(data[:4]) or _UTF_16.get(data[:2])


def refuse_claim(data: bytes, encoding: str) -> None:
    """Refuse bytes that declare an encoding in two or four bytes which they cannot be in."""
    if not by_first_bytes(data) and encoding.startswith(("utf-16", "utf-32", "utf16", "utf32")):
        raise Refused("encoding", _WRONG, 1, data.lower().index(encoding.encode()) + 1)


def refuse_declared(data: bytes, text: str, encoding: str) -> None:
    """Refuse a text that declares another encoding than the one that its first bytes prove."""
    declared = _IN_TEXT.match(text.removeprefix("\ufeff")) if by_first_bytes(data) else None
    if declared and not declared[1].lower().startswith(encoding.replace("-le", "").replace("-be", "")):
        raise Refused("encoding", _WRONG, 1, declared.start(1) + 1)


def character_set(encoding: str) -> codecs.CodecInfo:
    """Return the codec of an encoding; raises `Refused` if it is unknown or no character set."""
    try:
        found = codecs.lookup(encoding)
        if found.name not in _NO_CHARACTER_SETS:
            return found
    except (LookupError, ValueError):
        pass
    raise Refused("encoding", f"the encoding {encoding!r} is unknown", 1, 1)


def _decoded(data: bytes, encoding: str) -> str:
    character_set(encoding)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, "replace")
        raise Refused("encoding", wrong_byte(error, encoding), *place_after(before)) from None
    except (LookupError, ValueError):
        raise Refused("encoding", f"the encoding {encoding!r} is unknown", 1, 1) from None


def wrong_byte(error: UnicodeDecodeError, encoding: str) -> str:
    """Say which byte cannot be decoded."""
    return f"byte 0x{error.object[error.start]:02x} cannot be decoded as {encoding}"


def undecodable(data: bytes, index: int) -> Refused | None:
    """Say why the bytes up to an index cannot be decoded; None if they can."""
    try:
        data.decode(encoding_of(data))
    except UnicodeDecodeError as error:
        if error.start <= index:
            return _refusal(data)
    except (LookupError, ValueError):
        pass
    return None


def _refusal(data: bytes) -> Refused | None:
    try:
        decoded(data)
    except Refused as refused:
        return refused
    return None


def in_utf_8(xml: object) -> bytes:
    """Return a message that has been read in UTF-8, whatever its declaration says."""
    if isinstance(xml, str):
        return encoded(xml).removeprefix(codecs.BOM_UTF8)
    assert isinstance(xml, bytes)
    plain = not is_utf_32(xml) and reads_as_utf_8(encoding_of(xml))
    return (xml if plain else encoded(decoded(xml))).removeprefix(codecs.BOM_UTF8)


def encoded(text: str) -> bytes:
    """Encode a text in UTF-8; raises `Refused` if it contains half a surrogate pair."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        reason = f"half of a surrogate pair cannot be encoded: {text[error.start]!r}"
        raise Refused("encoding", reason, *place_after(text[: error.start])) from None


def place_after(text: str) -> tuple[int, int]:
    """Return the line and column right after a text."""
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
