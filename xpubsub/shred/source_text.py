"""The text that copies are cut from; tags include what the DTD adds to them, as copies have no DTD."""

from __future__ import annotations

from bisect import bisect_left

from xpubsub.language.flwr.tags import escaped_attribute
from xpubsub.shred.start_tags import StartTag, start_tag


class SourceText:
    """A message in UTF-8; start tags for which its DTD has defaults or types are rewritten as they are read."""

    def __init__(self) -> None:
        self._data = b""
        self._seen: set[tuple[str, str]] = set()
        self._defaults: dict[str, dict[str, str | None]] = {}
        self._tags: list[tuple[int, int, bytes]] = []
        self.added = 0
        """The total length of the rewritten tags in bytes."""

    def begin(self, data: bytes) -> None:
        """Start a message."""
        self._data = data
        self._seen.clear()
        self._defaults.clear()
        self.forget()

    def forget(self) -> None:
        """Drop the rewritten tags."""
        self._tags.clear()
        self.added = 0

    def declare(self, element: str, name: str, kind: str, default: str | None, required: bool) -> None:
        """Record the DTD's declaration of an attribute; the first one counts."""
        first = (element, name) not in self._seen
        self._seen.add((element, name))
        if first and (default is not None or kind != "CDATA"):
            self._defaults.setdefault(element, {})[name] = default

    @property
    def declared(self) -> bool:
        """Whether the DTD declares any attributes."""
        return bool(self._defaults)

    def mark(self, start: int, last: int, before: str, after: str | None) -> None:
        """Put texts before and after an element, given the offsets of its tags; without `after`, instead of it."""
        end = self._end(start, last)
        text = b"" if after is None else self._data[start:end] + after.encode()
        self._tags.append((start, end, before.encode() + text))

    def mentions(self, text: bytes) -> bool:
        """Whether the message contains some bytes."""
        return text in self._data

    def tag(self, start: int) -> StartTag:
        """Return the start tag at a byte offset, as it is written."""
        return start_tag(self._data, start)

    def complete(self, start: int, values: list[str]) -> None:
        """Rewrite a tag if needed, given the values of its attributes as normalized by the DTD's types."""
        tag = self.tag(start)
        defaults = self._defaults.get(tag.name.decode("utf-8"))
        if defaults is not None:
            written = _completed(tag, values, defaults).encode("utf-8")
            self._tags.append((start, start + len(tag.text), written))
            self.added += len(written)

    def element(self, start: int, last: int, inherited: str) -> str:
        """Return the element from a start tag to the last tag, with the declarations that it inherits."""
        text, name = self._between(start, self._end(start, last)), len(self.tag(start).name) + 1
        return f"{text[:name].decode('utf-8')}{inherited}{text[name:].decode('utf-8')}"

    def _end(self, start: int, last: int) -> int:
        tag = self.tag(start)
        return start + len(tag.text) if tag.empty else self._data.index(b">", last) + 1

    def _between(self, start: int, end: int) -> bytes:
        pieces, place = [], start
        for first, after, written in self._tags[bisect_left(self._tags, (start,)):]:
            pieces += [self._data[place:first], written]
            place = after
        return b"".join([*pieces, self._data[place:end]])


def _completed(tag: StartTag, values: list[str], defaults: dict[str, str | None]) -> str:
    """Write a tag with its own declarations and attributes, and the defaults of missing attributes."""
    own = dict(zip(tag.attributes(), values, strict=True))
    present = {**tag.declarations(), **own}
    missing = {name: value for name, value in defaults.items() if value is not None and name not in present}
    attributes = "".join(f' {name}="{escaped_attribute(value)}"' for name, value in {**own, **missing}.items())
    declared = "".join(tag.declarations().values())
    return f"<{tag.name.decode('utf-8')}{declared}{attributes}{'/>' if tag.empty else '>'}"
