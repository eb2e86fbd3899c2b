"""Runs correlations: joins the batch's witnesses with one another and with those kept, then keeps the batch."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from xpubsub.ids import stable_id
from xpubsub.jobs.publish.clocks import StreamReads, load_reads
from xpubsub.jobs.publish.join_state import keep
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.slices import SliceCache
from xpubsub.jobs.publish.timing import Timings
from xpubsub.language.xscl.templates import Edge, Template
from xpubsub.limits import Limits
from xpubsub.output.correlation_factory import correlating
from xpubsub.plan.clocks import REPLACED_ROWS
from xpubsub.plan.correlate import (
    CORRELATION_OUTPUT,
    FOUND,
    OUTPUT_PARTS,
    TEXTS,
    chosen_plan,
    join_steps,
    witness_steps,
)
from xpubsub.plan.join_state import LAST_DOCID
from xpubsub.plan.join_views import WANTED, StoredTemplate, standing_steps
from xpubsub.plan.request import PlanRequest
from xpubsub.plan.slices import sliced
from xpubsub.plan.summary import Summary
from xpubsub.rows import CORRELATION_MADE, REPLACED
from xpubsub.step import Pipeline, file_step, whole
from xpubsub.store.store import Store

JOIN_TEMPLATES, JOIN_DEFINITIONS = file_step("stored_join_template"), file_step("join_definition")
JOIN_QUERIES, JOIN_PLACES = file_step("join_query"), file_step("join_place")
PUBLISHED, PUBLISHED_FROM = file_step("published"), file_step("published_from")
Published = tuple[str, tuple[str, str, float]]
"""A stream and a message for it: (id, XML, time)."""


@dataclass(frozen=True)
class Correlated:
    """The messages that a batch publishes to other streams, and the kept messages that the batch replaces."""

    published: list[Published] = field(default_factory=list)
    replaced: pa.Table = field(default_factory=REPLACED.empty_table)


@dataclass(frozen=True)
class Correlating:
    """The correlations of a store, as read for a snapshot."""

    store: Store
    levels: int
    templates: list[StoredTemplate]
    places: int
    definitions: dict[int, str]
    reads: StreamReads
    standing: dict[str, pa.Table] = field(default_factory=dict)
    """The relations that are the same for all batches, created by the first batch that needs them."""

    @property
    def stage_1(self) -> Pipeline:
        """The steps to the witnesses of a batch."""
        return witness_steps(self.levels)

    def witness(self, timings: Timings) -> None:
        """Create the relations `WITNESS_TABLES` for a part of a batch, whose messages another process numbers."""
        with timings.of("standing"):
            self._stand(WANTED)
        self._run(witness_steps(self.levels, part=True), timings)

    def all_steps(self, request: PlanRequest, *, slices: bool = False) -> Pipeline:
        """Return all steps, from the batch's nodes to the rows that outputs are made from."""
        return (*standing_steps(self.templates), *self.stage_1, *self._stage_2(request, slices), TEXTS)

    def _stage_2(self, request: PlanRequest, slices: bool) -> Pipeline:
        chosen = chosen_plan(request)
        rows = self.store.rows(JOIN_QUERIES) if chosen == "sequential" else []
        correlation_ids = [(row["template_id"], row["correlation_id"]) for row in rows]
        joins = join_steps(self.templates, self.places, chosen, correlation_ids)
        return (*(sliced(joins) if slices else joins), *OUTPUT_PARTS)

    def run(
        self, stream: str, request: PlanRequest, limits: Limits, timings: Timings, slices: SliceCache,
        *, found: bool = False,
    ) -> Correlated:
        """Create the relation `correlation_output` for a batch, and keep the batch's messages.

        With `found`, workers have found the witnesses, which are loaded as `rbin_w_found` and so on.
        The times of its messages are in `event_time`; a message without a time there has just arrived.
        """
        engine, docid = self.store.engine, int(self.store.rows(LAST_DOCID)[0]["docid"])
        caching = slices.used_by(request)
        with engine.transaction():
            engine.load("batch_start", pa.table({"docid": [docid], "now": [time.time()]}))
            with timings.of("standing"):
                self._stand(standing_steps(self.templates))
            self._run(FOUND if found else self.stage_1, timings)
            if caching:
                with timings.of("slice_row"):
                    slices.look_up(docid)
            self._run(self._stage_2(request, caching), timings)
            with timings.of("correlation_made"):
                engine.map_arrow("correlation_made", TEXTS, correlating(self.definitions), CORRELATION_MADE)
            self._run((CORRELATION_OUTPUT,), timings)
            correlated = Correlated(self._published(), engine.fetch(REPLACED_ROWS).cast(REPLACED))
            with timings.of("keep"):
                keep(self.store, limits, self.reads, stream)
            if caching:
                with timings.of("slice_new"):
                    slices.gain(docid)
        slices.take_over()
        return correlated

    def _stand(self, steps: Pipeline) -> None:
        """Create relations that are the same for all batches."""
        for step in steps:
            if step.name in self.standing:
                self.store.engine.load(step.name, self.standing[step.name])
            else:
                self.store.engine.run(step)
                self.standing[step.name] = self.store.engine.fetch(whole(step.name))

    def _published(self) -> list[Published]:
        """Return the outputs that are published as messages of another stream."""
        rows = self.store.rows(PUBLISHED)
        kept = self.store.rows(PUBLISHED_FROM) if rows else []
        names = {row["docid"]: row["docid"] if row["message_id"] is None else row["message_id"] for row in kept}
        return [_message(row, [names[docid] for docid in row["docs"]]) for row in rows]

    def _run(self, steps: Pipeline, timings: Timings) -> None:
        for step in steps:
            with timings.of(step.name):
                self.store.engine.run(step)


def _message(row: dict[str, object], messages: list[str | int]) -> Published:
    """Turn an output into a message; its id is the same if the batch is repeated.

    A kept message that has no id from the caller is identified by its number.
    """
    parts = row["correlation_id"], *messages, row["nodes"]
    name, latest = str(row["publish"]), row["time"]
    assert isinstance(latest, float)
    return name, (f"{name}-{stable_id('published', json.dumps(parts))}", str(row["output"]), latest)


def republished(
    result: Result, published: list[Published], publish: Callable[[list[tuple[str, str, float]], str], Result]
) -> Result:
    """Add to a result the results of publishing `published`, stream by stream."""
    results = [result, *results_republished(published, publish)]
    return replace(
        result, notifications=pa.concat_tables([each.notifications for each in results]),
        rejected=pa.concat_tables([each.rejected for each in results]),
        failed=pa.concat_tables([each.failed for each in results]),
        replaced=pa.concat_tables([each.replaced for each in results]))


def results_republished(
    published: list[Published], publish: Callable[[list[tuple[str, str, float]], str], Result]
) -> Iterator[Result]:
    """Yield the results of publishing `published`, stream by stream."""
    for name in dict.fromkeys(stream for stream, _ in published):
        yield publish([message for stream, message in published if stream == name], name)


def load_correlating(store: Store, summary: Summary) -> Correlating:
    """Read the correlations of a store."""
    templates = [_stored(row) for row in store.rows(JOIN_TEMPLATES)]
    places = int(store.rows(JOIN_PLACES)[0]["places"])
    definitions = {row["template_id"]: row["definition"] for row in store.rows(JOIN_DEFINITIONS)}
    return Correlating(store, summary.levels, templates, places, definitions, load_reads(store))


def _stored(row: dict[str, Any]) -> StoredTemplate:
    trees, edges, *needed = json.loads(row["definition"])
    template = Template(tuple(map(tuple, trees)), tuple(Edge(*edge) for edge in edges), *map(tuple, needed))
    return StoredTemplate(row["template_id"], template, row["fewest_pairs"])
