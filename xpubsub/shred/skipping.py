"""Skips spilled elements while a message is read, or (for completion) reads them and notes which they are."""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat

from xpubsub.errors import LimitError
from xpubsub.limits import Limits
from xpubsub.shred.copies import CopyRecorder
from xpubsub.shred.handlers import Handlers
from xpubsub.shred.spilled_roots import SpilledRoot
from xpubsub.shred.tagpaths import TagNode, TagPathCache


class Skipper:
    """Follows a parser; from the start tag of a spilled element to its end tag only depth is counted."""

    def __init__(
        self, cache: TagPathCache, handlers: Handlers, copying: CopyRecorder | None, add: Callable[[SpilledRoot], None],
        limits: Limits,
    ) -> None:
        self._cache = cache
        self._handlers = handlers
        self._copying = copying
        self._add = add
        self._limits = limits
        self._place = 0

    def attach(self, parser: expat.XMLParserType) -> None:
        """Follow a parser whose handlers are set."""
        self._parser = parser
        self._place = 0
        self._start: Callable[[str, list[str]], None] = parser.StartElementHandler  # type: ignore[assignment]
        self._end: Callable[[str], None] = parser.EndElementHandler  # type: ignore[assignment]
        _handle(parser, StartElementHandler=self._enter)

    def _node(self, name: str) -> TagNode:
        """Return the tag path of a child of the innermost element."""
        current = self._handlers.here()[1]
        return current.children.get(name) or self._cache.child(current, name)

    def _enter(self, name: str, attributes: list[str]) -> None:
        node = self._node(name)
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
                _handle(parser, **before)
                if self._copying is not None:
                    self._copying.skipped(self._place, start, parser.CurrentByteIndex)
                self._place += 1

        _handle(parser, **{**dict.fromkeys(before), "StartElementHandler": enter, "EndElementHandler": leave})

    def _check(self, depth: int, attributes: list[str]) -> None:
        if depth > self._limits.max_depth:
            raise LimitError(f"nested deeper than {self._limits.max_depth} (max_depth)", code="limit-depth")
        if len(attributes) > 2 * self._limits.max_attributes:
            reason = f"an element with more than {self._limits.max_attributes} attributes (max_attributes)"
            raise LimitError(reason, code="limit-attributes")


class Marker(Skipper):
    """Follows a parser that reads everything, and notes the elements that a `Skipper` skips."""

    def attach(self, parser: expat.XMLParserType) -> None:
        """Follow a parser whose handlers are set."""
        super().attach(parser)
        self._open: tuple[int, int, TagNode] | None = None
        _handle(parser, EndElementHandler=self._leave)

    def _enter(self, name: str, attributes: list[str]) -> None:
        spilled = self._open is None and self._node(name).spilled
        start = self._parser.CurrentByteIndex
        self._start(name, attributes)
        if spilled:
            _, node, node_id = self._handlers.here()
            self._open = node_id, start, node

    def _leave(self, name: str) -> None:
        event_id, _, node_id = self._handlers.here()
        last = self._parser.CurrentByteIndex
        self._end(name)
        if self._open is not None and self._open[0] == node_id:
            (_, start, node), self._open = self._open, None
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
