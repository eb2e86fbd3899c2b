"""The message factory for messages of which elements are spilled: outputs with holes, and later their fillers.

The twin for messages that are whole is `factory`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.arrow import ArrowFunction
from xpubsub.collector import collector_paused
from xpubsub.errors import DynamicError
from xpubsub.language.holes import SPILL_NAMESPACE, HoleIds
from xpubsub.match.nested import NestedColumn
from xpubsub.output.factory import Finder, Made, made_by, made_columns, read_values
from xpubsub.output.parts import Node, OutputMessage, Rows
from xpubsub.output.spilled_message import Missing, Segments, SpilledMessage, SpilledUnit
from xpubsub.output.spilled_parts import Affected, SpilledOutput, SpilledWrite, spilled_content
from xpubsub.output.templates import TEMPLATES_KEPT, OutputTemplate, OutputTemplates, is_program, template_nodes
from xpubsub.rows import SPILLED_OUTPUT

WHOLE, REDUCED, FILLER, ENTIRE = "whole", "reduced", "filler", "entire"
"""The parts of outputs: an output in which nothing is missing; one with holes; a filler; and, where there are fillers,
the whole output for subscribers who want no parts."""
BLOCKED = 0
"""Stands for a tag path where a block is blocked."""
NOT_MADE: Made = (None, None, None)
"""What a program makes that has bound nothing."""
OutputPart = tuple[str, str]
"""The name of a part, and its text."""


@dataclass(frozen=True)
class Spilled:
    """The messages of a batch of which elements are spilled, by event id."""

    units: Mapping[int, SpilledUnit]
    complete: bool
    """Whether the spilled elements have been read."""


def making_spilled(definitions: Mapping[int, str], finder: Finder, spilled: Spilled) -> ArrowFunction:
    """Return a function from messages and the tuples bound in them to parts of outputs."""
    def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        templates, holed = OutputTemplates(definitions), _SpilledTemplates(definitions)
        for batch in batches:
            if batch.num_rows:
                with collector_paused():
                    outputs = _outputs(batch, templates, holed, finder, spilled)
                yield outputs
    return made


def _outputs(
    batch: pa.RecordBatch, templates: OutputTemplates, holed: _SpilledTemplates, finder: Finder, spilled: Spilled
) -> pa.RecordBatch:
    event_ids, *columns = batch.columns
    asked, returned, copies, valued = map(NestedColumn, columns)
    parts: list[list[tuple[str, Made]]] = []
    for row, event_id in enumerate(event_ids.to_pylist()):
        nodes, texts, bare = copies.of(row)
        copied, found = dict(zip(nodes, zip(texts, bare, strict=True), strict=True)), finder(returned, row)
        values, names = read_values(valued, row)
        made = zip(*asked.of(row), strict=True)
        if event_id not in spilled.units:
            whole = OutputMessage(copied, found, values=values, names=names)
            parts += [_whole(made_by(templates[each], whole, bound)) for each, bound, _ in made]
            continue
        message = SpilledMessage(spilled.units[event_id], copied, found, spilled.complete, values, names)
        parts += [_parts(holed[each], message, templates[each], bound, affected) for each, bound, affected in made]
    places = pa.array([place for place, each in enumerate(parts) for _ in each], pa.int64())
    kept = [pc.take(column, places) for column in (pc.take(event_ids, asked.parents), *asked.fields)]
    names = pa.array([part for each in parts for part, _ in each], pa.string())
    filled = [*kept, names, *made_columns([output for each in parts for _, output in each])]
    return pa.RecordBatch.from_arrays(
        [column.cast(field.type) for column, field in zip(filled, SPILLED_OUTPUT, strict=True)], schema=SPILLED_OUTPUT)


def _whole(made: Made) -> list[tuple[str, Made]]:
    """Return an output as its only part; none if a program has bound nothing."""
    return [(WHOLE, made)] if made != NOT_MADE else []


def _parts(
    holed: _SpilledTemplate, message: SpilledMessage, template: OutputTemplate, bound: list[int],
    affected: Sequence[int],
) -> list[tuple[str, Made]]:
    """Return the parts of an output that go out now, or why it failed."""
    try:
        parts = holed.parts(message, template, bound, affected)
        return [(name, (text, None, None)) for name, text in parts]
    except DynamicError as error:
        return [(WHOLE, (None, error.code, error.reason))]


@dataclass(frozen=True)
class _SpilledTemplate:
    """A template that writes what is there, and what is missing."""

    write: SpilledWrite
    outermost: frozenset[int]
    partial: bool
    """Whether its outputs may have holes: not those of programs, nor if they may contain what looks like one."""

    def parts(
        self, message: SpilledMessage, template: OutputTemplate, bound: list[int], affected: Sequence[int]
    ) -> list[OutputPart]:
        """Return the parts of an output that go out now."""
        rows, blocks = template.rows(bound), affected_blocks(affected)
        if not self._goes_out(message, rows, blocks):
            whole = template.made(message.whole, rows) if message.complete else None
            return [] if whole is None else [(WHOLE, whole)]
        segments = self.write(SpilledOutput(message, rows, blocks), ())
        if not any(isinstance(each, Missing) for each in segments):
            return [] if message.complete else [(WHOLE, "".join(map(str, segments)))]
        if not message.complete:
            return [(REDUCED, "".join(_holes(message.unit, segments)))]
        entire = ENTIRE, template.write(message.whole, (), rows)
        return [entire, *((FILLER, each) for each in _fillers(message.unit, segments))]

    def _goes_out(self, message: SpilledMessage, rows: Rows, affected: Affected) -> bool:
        """Whether an output goes out before the message is complete: an outermost `for` binds nodes that are there."""
        open_blocks = self.outermost - affected.blocked if self.partial else ()
        return any(
            all(map(message.present, each)) for (block, _), tuples in rows.items() if block in open_blocks
            for each in tuples)


def affected_blocks(given: Sequence[int]) -> Affected:
    """Return the affected blocks, given a list of block, tag path, place of the base, block..."""
    rows = list(zip(given[::3], given[1::3], given[2::3], strict=True))
    fewer: dict[int, tuple[int, frozenset[int]]] = {}
    for block, tagpath_id, base_at in rows:
        if tagpath_id != BLOCKED:
            fewer[block] = base_at, frozenset({tagpath_id, *fewer.get(block, (0, ()))[1]})
    return Affected(frozenset(block for block, tagpath_id, _ in rows if tagpath_id == BLOCKED), fewer)


def _holes(unit: SpilledUnit, segments: Segments) -> Iterator[str]:
    """Yield an output piece by piece, with holes where something is missing."""
    number = 0
    for each in segments:
        if isinstance(each, str):
            yield each
        else:
            number += 1
            yield HoleIds.of(unit.message_id, f"{unit.number}.{number}", each.path).hole()


def _fillers(unit: SpilledUnit, segments: Segments) -> Iterator[str]:
    missing = (each for each in segments if isinstance(each, Missing))
    for number, each in enumerate(missing, start=1):
        yield HoleIds.of(unit.message_id, f"{unit.number}.{number}", each.path).filler(each.content or "")


class _SpilledTemplates(dict[int, _SpilledTemplate]):
    """Templates by id."""

    def __init__(self, definitions: Mapping[int, str]) -> None:
        self._definitions = definitions

    def __missing__(self, template_id: int) -> _SpilledTemplate:
        self[template_id] = _spilled_template(self._definitions[template_id])
        return self[template_id]


@lru_cache(TEMPLATES_KEPT)
def _spilled_template(definition: str) -> _SpilledTemplate:
    nodes = template_nodes(definition)
    waits = is_program(nodes)
    return _SpilledTemplate(
        spilled_content([] if waits else nodes, {}), frozenset(_outermost(nodes)),
        not waits and SPILL_NAMESPACE not in definition)


def _outermost(nodes: list[Node]) -> Iterator[int]:
    for node in nodes:
        if node[0] == "f":
            yield node[1]
        elif node[0] == "e":
            yield from _outermost(node[4])
