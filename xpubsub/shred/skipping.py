"""Skips spilled elements while a message is read, or (for completion) reads them and notes which they are."""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat

from xpubsub.errors import LimitError
from xpubsub.limits import Limits
from xpubsub.shred.copies import CopyRecorder
from xpubsub.shred.handlers import Handlers
from xpubsub.shred.leaps import NO_PLACES, Leaps, TagPlaces
from xpubsub.shred.spilled_roots import SpilledRoot
from xpubsub.shred.tagpaths import TagNode, TagPathCache

_Landing = tuple[int, Callable[[str], None]]
"""Where a leap ends, and who is told of the end tag there."""


class Skipper:
    """Feeds a parser; from the start tag of a spilled element to its end tag only depth is counted.

    If the element is plain, not even that: the parser is fed up to its end tag, and calls nothing on the way.
    """

    def __init__(
        self, cache: TagPathCache, handlers: Handlers, copying: CopyRecorder | None, add: Callable[[SpilledRoot], None],
        limits: Limits,
    ) -> None:
        self._cache = cache
        self._handlers = handlers
        self._copying = copying
        self._add = add
        self._limits = limits
        self._leaps = Leaps(cache.spilled)
        self._tags = NO_PLACES
        self._place = self._given = self._fed = 0
        self._inside = False
        self._landing: _Landing | None = None

    def parse(self, parser: expat.XMLParserType, data: bytes, *, leaping: bool) -> None:
        """Feed a message to a parser whose handlers are set; elements are leapt over only if it is in UTF-8."""
        tags = self._leaps.of(data) if leaping else NO_PLACES
        self._attach(parser, tags)
        starts, view = frozenset(tags.starts or ()), memoryview(data)
        for place in sorted({*starts, *tags.ends.values()}):
            self._feed(view, place)
            if self._landing is not None and self._landing[0] == place:
                parser.EndElementHandler, self._landing = self._landing[1], None
            if place in starts and not self._inside:
                parser.StartElementHandler = self._enter
        self._feed(view, len(data))

    def _feed(self, view: memoryview, to: int) -> None:
        """Feed what comes up to an offset; the parser may wait with it until more has come."""
        self._given, self._fed = self._fed, to
        self._parser.Parse(view[self._given : to], to == len(view))

    def _leap(self, start: int, leave: Callable[[str], None]) -> bool:
        """Whether the parser can go to the end of the element at an offset, of which `leave` is then told."""
        end = self._tags.ends.get(start, -1)
        if end < self._fed:
            return False
        self._landing = end, leave
        return True

    def _attach(self, parser: expat.XMLParserType, tags: TagPlaces) -> None:
        self._parser, self._tags = parser, tags
        self._place = self._given = self._fed = 0
        self._inside, self._landing = False, None
        self._start: Callable[[str, list[str]], None] = parser.StartElementHandler  # type: ignore[assignment]
        self._end: Callable[[str], None] = parser.EndElementHandler  # type: ignore[assignment]
        _handle(parser, StartElementHandler=self._enter)

    def _entered(self, name: str) -> TagNode:
        """Return the tag path of a child of the innermost element.

        The next start tags are not looked at: what was fed last begins with the only one that may be of interest.
        """
        if self._tags.starts is not None and self._parser.CurrentByteIndex >= self._given:
            self._parser.StartElementHandler = self._start
        current = self._handlers.here()[1]
        return current.children.get(name) or self._cache.child(current, name)

    def _enter(self, name: str, attributes: list[str]) -> None:
        node = self._entered(name)
        if node.spilled and (self._copying is None or self._copying.spillable()):
            self._begin(node, attributes)
        else:
            self._start(name, attributes)

    def _begin(self, node: TagNode, attributes: list[str]) -> None:
        """Skip an element: switch to handlers that count, until its end tag."""
        parser, start = self._parser, self._parser.CurrentByteIndex
        *above, node_id = self._handlers.skip()
        self._check(len(above) + 1, attributes)
        self._add(SpilledRoot(self._handlers.here()[0], node.tagpath, node.tagpath_id, node_id, node_id, tuple(above)))
        before = {name: handler for name in _HANDLERS if (handler := getattr(parser, name)) is not None}
        self._inside = True
        depth = len(above) + 1
        most_depth, most_attributes = self._limits.max_depth, 2 * self._limits.max_attributes

        def enter(name: str, attributes: list[str]) -> None:
            nonlocal depth
            depth += 1
            if depth > most_depth or len(attributes) > most_attributes:
                self._check(depth, attributes)

        def leave(name: str) -> None:
            nonlocal depth
            depth -= 1
            if depth == len(above):
                _handle(parser, **{**before, "StartElementHandler": self._enter})
                self._inside = False
                if self._copying is not None:
                    self._copying.skipped(self._place, start, parser.CurrentByteIndex)
                self._place += 1

        _handle(parser, **dict.fromkeys(before))
        if not self._leap(start, leave):
            _handle(parser, StartElementHandler=enter, EndElementHandler=leave)

    def _check(self, depth: int, attributes: list[str]) -> None:
        if depth > self._limits.max_depth:
            raise LimitError(f"nested deeper than {self._limits.max_depth} (max_depth)", code="limit-depth")
        if len(attributes) > 2 * self._limits.max_attributes:
            reason = f"an element with more than {self._limits.max_attributes} attributes (max_attributes)"
            raise LimitError(reason, code="limit-attributes")


class Marker(Skipper):
    """Feeds a parser that reads everything, and notes the elements that a `Skipper` skips."""

    def _enter(self, name: str, attributes: list[str]) -> None:
        spilled, start = self._entered(name).spilled, self._parser.CurrentByteIndex
        self._start(name, attributes)
        if spilled:
            self._inside = True
            _, node, node_id = self._handlers.here()
            self._open = node_id, start, node
            ending = self._end if self._leap(start, self._leave) else self._leave
            _handle(self._parser, StartElementHandler=self._start, EndElementHandler=ending)

    def _leave(self, name: str) -> None:
        event_id, _, node_id = self._handlers.here()
        last, (opened, start, node) = self._parser.CurrentByteIndex, self._open
        self._end(name)
        if opened == node_id:
            self._inside = False
            _handle(self._parser, StartElementHandler=self._enter, EndElementHandler=self._end)
            above = self._handlers.around()
            self._add(SpilledRoot(event_id, node.tagpath, node.tagpath_id, node_id, self._handlers.last(), above))
            if self._copying is not None:
                self._copying.marked(self._place, start, last)
            self._place += 1


_HANDLERS = ("StartElementHandler", "EndElementHandler", "CharacterDataHandler", "StartCdataSectionHandler",
             "CommentHandler", "ProcessingInstructionHandler", "StartNamespaceDeclHandler", "EndNamespaceDeclHandler")


def _handle(parser: expat.XMLParserType, **handlers: object) -> None:
    for name, handler in handlers.items():
        setattr(parser, name, handler)
