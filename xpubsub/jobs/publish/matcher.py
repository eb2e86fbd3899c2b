"""Matches messages with filters and transformations in one process: shreds them and runs the plan."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from xpubsub.collector import collector_paused
from xpubsub.jobs.publish.known import Known, Snapshots
from xpubsub.jobs.publish.matched import Matched
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.planning import PublishPlan
from xpubsub.jobs.publish.referring import referred
from xpubsub.jobs.publish.sampling import Sampler
from xpubsub.jobs.publish.shredding import Shredding
from xpubsub.jobs.publish.timing import Timings
from xpubsub.limits import Limits
from xpubsub.match.referred import ReferredValues
from xpubsub.plan.subscribe import PATHS, TAGPATH_COLLISION
from xpubsub.shred.messages import Message, MessageShredder
from xpubsub.step import file_step
from xpubsub.store.store import Store


class Matcher:
    """The parts of publishing that treat each message on its own."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._snapshots = Snapshots(store, limits)
        self._sampler = Sampler(store)
        self._shredding = Shredding(limits)
        self._sources: dict[int, bytes] = {}
        self._referred: ReferredValues | None = None
        self.found: list[str] = []
        """The tag paths that the last batch has shown for the first time."""

    def close(self) -> None:
        """Stop the helper processes that are kept between batches."""
        self._shredding.close()

    def known(self) -> Known:
        """The current snapshot of the store."""
        return self._snapshots.known()

    def shred(
        self, messages: Iterable[Message], timings: Timings, spill: Iterable[str] = (), *, marking: bool = False
    ) -> MessageShredder:
        """Shred numbered messages, and store the tag paths that are new.

        - `spill`: the linear paths whose elements are skipped; if `marking`, they are read, and marked.
        """
        cache = self.known().cache
        cache.spill(spill, marking=marking)
        shredder = MessageShredder(cache, self._limits)
        with timings.of("shred"), collector_paused():
            self._shredding.shred(shredder, cache, messages)
        with timings.of("paths"):
            self._remember_tagpaths()
        return shredder

    def _remember_tagpaths(self) -> None:
        found = self.known().cache.take_found()
        self.found = list(found.tagpaths)
        if found.tagpaths:
            engine = self._store.engine
            with engine.transaction():
                engine.load("tagpath_found", found.found())
                engine.load("path_matched", found.matched())
                self._store.refuse_collisions(TAGPATH_COLLISION)
                self._store.append(*PATHS, ("tagpath_map", file_step("new_tagpath")))
            self._snapshots.grow()

    def load(self, shredder: MessageShredder, batch: Batch, timings: Timings) -> None:
        """Create the relations `sax_parse_result`, `event`, `node_copy` and `batch`; keep what lxml needs."""
        self._sources = shredder.sources
        with timings.of("shred"), collector_paused():
            nodes = shredder.nodes()
        known, engine, copies = self.known(), self._store.engine, shredder.copies()
        self._referred = None
        if known.keys is not None:
            with timings.of("reference_attribute"):
                found = referred(engine, known.keys, known.cache, nodes)
                nodes, copies = found.nodes, pa.concat_tables([copies, found.copies])
                self._referred = found.values
        with timings.of("load"):
            engine.load("sax_parse_result", nodes)
            engine.load("event", shredder.events())
            if known.summary.nodes_bound:
                engine.load("node_copy", copies)
            engine.load("batch", batch.relation())

    def match(self, plan: PublishPlan, timings: Timings) -> Matched:
        """Return the notifications of filters and transformations, and what failed."""
        last = plan.run(timings, self._sources, self._referred)
        with timings.of(last.name):
            return Matched.of(self._store.engine.fetch(last))
