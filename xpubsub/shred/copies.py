"""Cuts copies of nodes out of a message; an element keeps its text and declares the namespaces in scope."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING
from xml.parsers import expat

from xpubsub.errors import LimitError
from xpubsub.language.flwr.tags import declarations, escaped_attribute, escaped_text
from xpubsub.language.holes import CUT, CUT_END, CUT_TEXT, SPILL_NAMESPACE
from xpubsub.language.xpath.paths import XML_NAMESPACE
from xpubsub.limits import Limits
from xpubsub.match.uses import COPY
from xpubsub.shred.node_rows import CopyRow, NodeRow
from xpubsub.shred.source_text import SourceText

if TYPE_CHECKING:
    from xpubsub.shred.handlers import Handlers

Declarations = list[tuple[str, str]]
"""(prefix, URI) pairs; an empty prefix is the default namespace, an empty URI no namespace."""


class CopyRecorder:
    """Follows the parser and keeps the text of each element that some subscription copies."""

    def __init__(self, handlers: Handlers, add: Callable[[CopyRow], None], limits: Limits) -> None:
        self._handlers = handlers
        self._add = add
        self._most = limits.max_copied
        self._size = 0
        self._source = SourceText()
        self._scope: Declarations = []
        self._fresh = 0
        self._open: list[tuple[int, str, bool]] = []
        self._spillable: bool | None = None

    def attach(self, parser: expat.XMLParserType, data: bytes) -> None:
        """Follow a parser that will read `data`, which is in UTF-8."""
        self._parser = parser
        self._source.begin(data)
        self._fresh = self._size = 0
        self._spillable = None
        self._scope.clear()
        self._open.clear()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartNamespaceDeclHandler = self._declare
        parser.EndNamespaceDeclHandler = self._forget
        parser.AttlistDeclHandler = self._source.declare

    def spillable(self) -> bool:
        """Whether elements of the message may be spilled: copies of it contain no holes and no defaults of a DTD."""
        if self._spillable is None:
            self._spillable = not self._source.declared and not self._source.mentions(SPILL_NAMESPACE.encode())
        return self._spillable

    def skipped(self, place: int, start: int, last: int) -> None:
        """Leave out an element that was skipped, by its place among those of the message, from copies around it."""
        self._fresh = 0
        if self._open:
            self._source.mark(start, last, f"{CUT}{place}{CUT_END}", None)

    def marked(self, place: int, start: int, last: int) -> None:
        """Mark an element that had been skipped in copies around it."""
        if self._open:
            self._source.mark(start, last, f"{CUT}{place}{CUT_TEXT}", CUT_END)

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        self._scope.append((prefix or "", uri or ""))
        self._fresh += 1

    def _forget(self, prefix: str | None) -> None:
        self._scope.pop()

    def _start(self, name: str, attributes: list[str]) -> None:
        self._handlers.start(name, attributes)
        _, node, _ = self._handlers.here()
        if attributes and any(node.attributes[each].use & COPY for each in attributes[::2]):
            self._copy_attributes(attributes)
        if node.use & COPY:
            inherited, bare = _in_scope(self._scope, len(self._scope) - self._fresh)
            self._open.append((self._parser.CurrentByteIndex, inherited, bare))
        if self._source.declared and self._open:
            self._source.complete(self._parser.CurrentByteIndex, attributes[1::2])
            self._check(self._source.added)
        self._fresh = 0

    def _copy_attributes(self, attributes: list[str]) -> None:
        """Copy the attributes of an element, in the order in which they are written, right after the element."""
        event_id, node, node_id = self._handlers.here()
        written = self._source.tag(self._parser.CurrentByteIndex).attributes()
        for place, (own, each, value) in enumerate(zip(written, attributes[::2], attributes[1::2], strict=True), 1):
            if node.attributes[each].use & COPY:
                self._keep(event_id, node_id + place, _attribute(own, each.rpartition("\n")[0], value), False)

    def _end(self, name: str) -> None:
        event_id, node, node_id = self._handlers.here()
        if node.use & COPY:
            start, inherited, bare = self._open.pop()
            text = self._source.element(start, self._parser.CurrentByteIndex, inherited)
            self._keep(event_id, node_id, text, bare)
            if not self._open:
                self._source.forget()
        self._handlers.end(name)

    def _keep(self, event_id: int, node_id: int, text: str, bare: bool) -> None:
        self._size += len(text)
        self._check(self._size)
        self._add((event_id, node_id, text, bare))

    def _check(self, size: int) -> None:
        if size > self._most:
            raise LimitError(f"copies of more than {self._most} characters (max_copied)", code="limit-copied")


def _in_scope(scope: Declarations, inherited: int) -> tuple[str, bool]:
    """Return the declarations that an element inherits, and whether no default namespace is in scope."""
    own = dict(scope[inherited:])
    before = {prefix: uri for prefix, uri in scope[:inherited] if prefix not in own}
    bare = "" not in own and not before.get("")
    return declarations({prefix: uri for prefix, uri in before.items() if uri}), bare


def copied_texts(rows: Sequence[NodeRow], copied: Collection[int]) -> Iterator[CopyRow]:
    """Yield the copied text nodes among some rows."""
    for event_id, tagpath_id, node_id, _, value, _ in rows:
        if tagpath_id in copied and value is not None:
            yield event_id, node_id, escaped_text(value), False


def _attribute(name: str, uri: str, value: str) -> str:
    """Write an attribute, preceded by the declaration of its prefix."""
    prefix = name.rpartition(":")[0]
    declared = declarations({prefix: uri}) if uri and uri != XML_NAMESPACE else ""
    return f'{declared} {name}="{escaped_attribute(value)}"'
