"""The handlers of expat's tokens: the innermost loop of shredding, as closures over local variables.

This code runs for every tag and every text of a message. Attributes of an object would cost a third more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, NoReturn

from xpubsub.errors import LimitError
from xpubsub.limits import Limits
from xpubsub.match.uses import NUMBER, VALUE
from xpubsub.shred.computing import ComputedRows
from xpubsub.shred.node_rows import NodeRow
from xpubsub.shred.tagpaths import TagNode, TagPathCache


class Handlers(NamedTuple):
    """The handlers that each expat parser in turn uses."""

    begin: Callable[[int], None]
    start: Callable[[str, list[str]], None]
    end: Callable[[str], None]
    characters: Callable[[str], None]
    close_text: Callable[..., None]
    finish: Callable[[object], None]
    """End a message, given again as it was."""
    here: Callable[[], tuple[int, TagNode, int]]
    """Return the message, and the tag path and node of the innermost element."""
    unfinished: Callable[[], list[tuple[NodeRow, str | None]]]
    """Return the nodes that have begun but not ended, without values: the document, elements and perhaps a text.

    Beside each is its value so far, if it is collected.
    """
    skip: Callable[[], tuple[int, ...]]
    """Count an element as one node, without what is in it; return the ids of the nodes around it, and its own."""
    last: Callable[[], int]
    """Return the id of the last node."""
    around: Callable[[], tuple[int, ...]]
    """Return the ids of the open elements."""


def token_handlers(cache: TagPathCache, limits: Limits, add: Callable[[NodeRow], None]) -> Handlers:
    """Return handlers that add the nodes which subscriptions need; `begin` starts a message, `finish` ends it."""
    computing = cache.computing and ComputedRows(cache.computing, add)
    add = computing.add if computing else add
    max_depth, max_nodes, max_attributes = limits.max_depth, limits.max_nodes, limits.max_attributes
    ids: list[int] = []
    opened: list[TagNode] = []
    starts: list[int] = []
    chunks: list[str] = []
    event = last = text_node = text_start = collecting = 0
    current = cache.root

    def begin(event_id: int) -> None:
        nonlocal event, last, text_node, collecting, current
        event, last, text_node, collecting, current = event_id, 0, 0, 0, cache.root
        for each in (ids, opened, starts, chunks):
            each.clear()
        if computing:
            computing.begin()
        if current.use & VALUE:
            starts.append(0)
            collecting = 1

    def start(name: str, attributes: list[str]) -> None:
        nonlocal last, current, collecting
        if text_node:
            close_text()
        node = current.children.get(name) or cache.child(current, name)
        last += 1
        ids.append(last)
        opened.append(current)
        current = node
        if node.use & VALUE:
            starts.append(len(chunks))
            collecting += 1
        if attributes:
            add_attributes(attributes)
        if len(ids) > max_depth or last > max_nodes:
            refuse_size()

    def add_attributes(attributes: list[str]) -> None:
        nonlocal last
        if len(attributes) > 2 * max_attributes:
            reason = f"an element with more than {max_attributes} attributes (max_attributes)"
            raise LimitError(reason, code="limit-attributes")
        for index in range(0, len(attributes), 2):
            name = attributes[index]
            node = current.attributes.get(name) or cache.attribute(current, name)
            last += 1
            if node.use:
                add(_row(event, node, last, (*ids, last), attributes[index + 1]))

    def end(name: str) -> None:
        nonlocal current
        if text_node:
            close_text()
        if current.use:
            leave()
        current = opened.pop()
        ids.pop()

    def leave() -> None:
        """Add the innermost element (or the document), whose value is now complete."""
        nonlocal collecting
        value = None
        if current.use & VALUE:
            value = "".join(chunks[starts.pop() :])
            collecting -= 1
            if not collecting:
                chunks.clear()
        add(_row(event, current, ids[-1] if ids else 0, tuple(ids), value))

    def characters(data: str) -> None:
        nonlocal last, text_node, text_start, collecting
        if not text_node:
            text_node = last = last + 1
            text_start = len(chunks)
            if (current.text or cache.text(current)).use & VALUE:
                collecting += 1
        if collecting:
            chunks.append(data)

    def close_text(*_: str) -> None:
        nonlocal text_node, collecting
        text = current.text
        if text_node and text is not None and text.use:
            value = chunks[-1] if len(chunks) == text_start + 1 else "".join(chunks[text_start:])
            numeric = value if text.use & NUMBER else None
            if text.use & VALUE:
                add((event, text.tagpath_id, text_node, (*ids, text_node), value, numeric))
                collecting -= 1
                if not collecting:
                    chunks.clear()
            else:
                add((event, text.tagpath_id, text_node, (*ids, text_node), None, None))
        text_node = 0

    def refuse_size() -> NoReturn:
        if len(ids) > max_depth:
            raise LimitError(f"nested deeper than {max_depth} (max_depth)", code="limit-depth")
        raise LimitError(f"more than {max_nodes} nodes (max_nodes)", code="limit-nodes")

    def finish(xml: object) -> None:
        if current.use:
            leave()
        if computing:
            computing.finish(xml)

    def here() -> tuple[int, TagNode, int]:
        return event, current, ids[-1] if ids else 0

    def unfinished() -> list[tuple[NodeRow, str | None]]:
        nodes = [(node, tuple(ids[:depth])) for depth, node in enumerate([*opened, current])]
        firsts = iter(starts)
        begun = [next(firsts) if node.use & VALUE else None for node, _ in nodes]
        if text_node and current.text is not None:
            nodes.append((current.text, (*ids, text_node)))
            begun.append(text_start if current.text.use & VALUE else None)
        rows = (_row(event, node, path[-1] if path else 0, path, None) for node, path in nodes)
        values = (None if first is None else "".join(chunks[first:]) for first in begun)
        return [each for each, (node, _) in zip(zip(rows, values, strict=True), nodes, strict=True) if node.use]

    def skip() -> tuple[int, ...]:
        nonlocal last
        if text_node:
            close_text()
        last += 1
        ids.append(last)
        if len(ids) > max_depth or last > max_nodes:
            refuse_size()
        path = tuple(ids)
        ids.pop()
        return path

    return Handlers(begin, start, end, characters, close_text, finish, here, unfinished, skip, lambda: last,
                    lambda: tuple(ids))


def _row(event: int, node: TagNode, node_id: int, idpath: tuple[int, ...], value: str | None) -> NodeRow:
    use = node.use
    return event, node.tagpath_id, node_id, idpath, value if use & VALUE else None, value if use & NUMBER else None
