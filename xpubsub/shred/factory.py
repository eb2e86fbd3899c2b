"""The message factory: bound nodes, copies of nodes and templates → the output of each transformation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa

from xpubsub.arrow import ArrowFunction
from xpubsub.shred.rows import OUTPUT
from xpubsub.shred.tables import table_of

Tuple = tuple[int, ...]
Rows = dict[tuple[int, Tuple], list[Tuple]]
"""The tuples of a block that go on from a tuple of the block around it, in the order of bindings."""
Copies = Mapping[int, tuple[str, bool]]
_TAG = re.compile(
    r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)([^\s/>!?]+)((?:[^>"'/]|"[^"]*"|'[^']*'|/(?!>))*)(/?)>""",
    re.DOTALL)
_DEFAULT = re.compile(r"\sxmlns\s*=")
_ATTRIBUTE = re.compile(r' [^\s=]+="[^"]*"')


def making(definitions: Mapping[int, str]) -> ArrowFunction:
    """A function from messages with what was bound in them to the outputs of transformations."""
    def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        templates = _Templates(definitions)
        for batch in batches:
            for event_id, bound, copies in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                texts = {each["node"]: (each["text"], each["bare"]) for each in copies or ()}
                rows = [(event_id, tid, _output(templates[tid], group, texts)) for tid, group in _by_tid(bound)]
                yield from table_of(rows, OUTPUT).to_batches()
    return made


class _Templates(dict[int, Any]):
    """Templates by transformation, decoded when they are first asked for."""

    def __init__(self, definitions: Mapping[int, str]) -> None:
        self._definitions = definitions

    def __missing__(self, tid: int) -> Any:
        template = json.loads(json.loads(self._definitions[tid])[0])
        self[tid] = template, dict(_sizes(template))
        return self[tid]


def _sizes(node: Any) -> Iterator[tuple[int, int]]:
    """For each block how many variables it binds."""
    if node[0] in ("p", "a"):
        yield node[1], 1
    elif node[0] == "f":
        yield node[1], node[2]
    for part in node[1:]:
        if isinstance(part, list):
            for each in part:
                yield from _sizes(each)


def _by_tid(bound: list[dict[str, Any]]) -> Iterator[tuple[int, Iterator[tuple[int, int, Tuple]]]]:
    rows = sorted((each["tid"], each["block"], tuple(each["nodes"])) for each in bound)
    return groupby(rows, itemgetter(0))


def _output(template: Any, group: Iterator[tuple[int, int, Tuple]], copies: Copies) -> str:
    tree, sizes = template
    rows: Rows = {}
    for _, block, nodes in group:
        rows.setdefault((block, nodes[: len(nodes) - sizes[block]]), []).append(nodes)
    output: list[str] = []
    _Writer(rows, copies, output).content(tree[1], ())
    return "".join(output)


class _Writer:
    """Writes the output of one transformation for one message."""

    def __init__(self, rows: Rows, copies: Copies, output: list[str]) -> None:
        self._rows = rows
        self._copies = copies
        self._output = output

    def content(self, nodes: list[Any], bound: Tuple) -> None:
        """Write some nodes of a template, given what the variables around them are bound to."""
        for node in nodes:
            kind = node[0]
            if kind == "t":
                self._output.append(node[1])
            elif kind == "v":
                self._output.append(self._copy(bound[node[1] - 1], node[2]))
            elif kind == "p":
                self._output.extend(self._copy(each[-1], node[2]) for each in self._rows.get((node[1], bound), ()))
            elif kind == "f":
                for each in self._rows.get((node[1], bound), ()):
                    self.content(node[3], each)
            else:
                self._element(node, bound)

    def _element(self, node: list[Any], bound: Tuple) -> None:
        _, opening, closing, attributes, content = node
        self._output.append(opening + self._attributes(attributes, bound))
        place = len(self._output)
        self._output.append(">")
        self.content(content, bound)
        if any(self._output[place + 1 :]):
            self._output.append(closing)
        else:
            self._output[place:] = ["/>"]

    def _attributes(self, nodes: list[Any], bound: Tuple) -> str:
        text = "".join(self._copies[each][0] for node in nodes for each in self._attribute_nodes(node, bound))
        return "".join(dict.fromkeys(_ATTRIBUTE.findall(text))) if "xmlns:" in text else text

    def _attribute_nodes(self, node: list[Any], bound: Tuple) -> list[int]:
        """The node of a variable, or those of a block."""
        if node[0] == "va":
            return [bound[node[1] - 1]]
        return [each[-1] for each in self._rows.get((node[1], bound), ())]

    def _copy(self, node: int, has_default: bool) -> str:
        text, bare = self._copies[node]
        return without_default(text) if has_default and bare else text


def without_default(text: str) -> str:
    """An element to stand where a default namespace is declared: those without a prefix are in none."""
    pieces: list[str] = []
    end = depth = 0
    settled = 0
    for tag in _TAG.finditer(text):
        closing, name, attributes, empty = tag.groups()
        if name is None:
            continue
        if closing:
            settled = 0 if depth == settled else settled
            depth -= 1
            continue
        depth += 1
        if not settled and ":" not in name:
            settled = depth
            if not _DEFAULT.search(attributes):
                pieces += [text[end : tag.end(2)], ' xmlns=""']
                end = tag.end(2)
        if empty:
            settled = 0 if depth == settled else settled
            depth -= 1
    return "".join([*pieces, text[end:]])
