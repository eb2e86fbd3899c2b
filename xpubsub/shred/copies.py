"""Copies of nodes: an element is a slice of the message, with the namespaces in scope declared on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from xml.parsers import expat

from xpubsub.errors import LimitError
from xpubsub.ids import stable_id
from xpubsub.language.paths import XML_NAMESPACE
from xpubsub.language.tags import declarations, escaped_attribute, escaped_text
from xpubsub.limits import Limits
from xpubsub.shred.node_rows import CopyRow, NodeRow
from xpubsub.shred.tagpaths import COPY

if TYPE_CHECKING:
    from xpubsub.shred.handlers import Handlers

_START_TAG = re.compile(rb"""<([^\s/>]+)(?:[^>"']|"[^"]*"|'[^']*')*>""")
Declarations = list[tuple[str, str]]
"""(prefix, URI) pairs, empty for the default and for none."""


class CopyRecorder:
    """Follows the parser and keeps the text of each element that some subscription copies."""

    def __init__(self, handlers: Handlers, add: Callable[[CopyRow], None], limits: Limits) -> None:
        self._handlers = handlers
        self._add = add
        self._most = limits.max_copied
        self._size = 0
        self._scope: Declarations = []
        self._fresh = 0
        self._open: list[tuple[int, str, bool]] = []

    def attach(self, parser: expat.XMLParserType, data: bytes) -> None:
        """Follow a parser that will read some data, in UTF-8."""
        self._parser, self._data = parser, data
        self._fresh = self._size = 0
        self._scope.clear()
        self._open.clear()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartNamespaceDeclHandler = self._declare
        parser.EndNamespaceDeclHandler = self._forget

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        self._scope.append((prefix or "", uri or ""))
        self._fresh += 1

    def _forget(self, prefix: str | None) -> None:
        self._scope.pop()

    def _start(self, name: str, attributes: list[str]) -> None:
        self._handlers.start(name, attributes)
        if self._handlers.here()[1].use & COPY:
            inherited, bare = _in_scope(self._scope, len(self._scope) - self._fresh)
            self._open.append((self._parser.CurrentByteIndex, inherited, bare))
        self._fresh = 0

    def _end(self, name: str) -> None:
        event_id, node, node_id = self._handlers.here()
        if node.use & COPY:
            self._add((event_id, node_id, *self._copied()))
        self._handlers.end(name)

    def _copied(self) -> tuple[str, bool]:
        start, inherited, bare = self._open.pop()
        tag = _START_TAG.match(self._data, start)
        assert tag is not None
        end = tag.end()
        if self._data[end - 2 : end] != b"/>":
            end = self._data.index(b">", self._parser.CurrentByteIndex) + 1
        text = self._data[start:end].decode("utf-8")
        self._size += len(text)
        if self._size > self._most:
            raise LimitError(f"copies of more than {self._most} characters (max_copied)", code="limit-copied")
        if not inherited:
            return text, bare
        name = len(tag[1].decode("utf-8")) + 1
        return text[:name] + inherited + text[name:], bare


def _in_scope(scope: Declarations, inherited: int) -> tuple[str, bool]:
    """What an element inherits, as declarations; and whether no default namespace is declared on it or around it."""
    own = dict(scope[inherited:])
    before = {prefix: uri for prefix, uri in scope[:inherited] if prefix not in own}
    bare = "" not in own and not before.get("")
    return declarations({prefix: uri for prefix, uri in before.items() if uri}), bare


def copied_values(rows: Sequence[NodeRow], copied: Mapping[int, str]) -> Iterator[CopyRow]:
    """The attributes and text nodes among some rows that are copied."""
    for event_id, tagpath_id, node_id, _, value, _ in rows:
        name = copied.get(tagpath_id)
        if name is not None and value is not None:
            yield event_id, node_id, escaped_text(value) if name == "text()" else _attribute(name[1:], value), False


def _attribute(name: str, value: str) -> str:
    uri, _, local = name.rpartition("}")
    written = f'{local}="{escaped_attribute(value)}"'
    if not uri:
        return f" {written}"
    plain = uri[1:].replace("%7B", "{").replace("%7D", "}").replace("%25", "%")
    if plain == XML_NAMESPACE:
        return f" xml:{written}"
    prefix = f"ns{stable_id(plain) % 10_000}"
    return f' xmlns:{prefix}="{escaped_attribute(plain)}" {prefix}:{written}'
