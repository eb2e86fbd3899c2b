"""The snapshot of a store that is kept between batches; each part is read when it is first needed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa

from xpubsub.jobs.paths import tagpath_cache
from xpubsub.jobs.publish.attribute_conditions import start_bits
from xpubsub.jobs.publish.clocks import StreamReads
from xpubsub.jobs.publish.correlating import Correlating, load_correlating
from xpubsub.jobs.publish.growing import Growing
from xpubsub.jobs.publish.single import Lookup, Lookups
from xpubsub.jobs.publish.transforming import Transforming, load_transforming
from xpubsub.jobs.reference.tables import load_keys
from xpubsub.limits import Limits
from xpubsub.match.checks import Checks
from xpubsub.match.keys import KeyPaths
from xpubsub.plan.summary import Summary
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.step import file_step
from xpubsub.store.store import Store


@dataclass(frozen=True, eq=False)
class Known:
    """A snapshot of a store, valid until its subscriptions or tag paths change."""

    store: Store
    limits: Limits
    changes: int
    """The last change of subscriptions that the snapshot includes."""
    kept: Kept
    """What is kept from snapshot to snapshot."""
    token: object = field(init=False, default_factory=object)
    """The snapshot's identity, for relations that are the same for all its batches."""

    @cached_property
    def summary(self) -> Summary:
        """The counts by which the plan is chosen."""
        [row] = self.store.rows(file_step("summary"))
        amounts = {each["name"]: each["amount"] for each in self.store.rows(file_step("amount"))}
        return Summary(**{name: int(value) for name, value in {**row, **amounts}.items()})

    @cached_property
    def cache(self) -> TagPathCache:
        """The tag-path cache, which grows as this process shreds messages."""
        return self.kept.cache(self.summary, self.limits, self.keys)

    @cached_property
    def keys(self) -> KeyPaths | None:
        """The nodes that are looked up in reference tables; None if subscriptions name no column."""
        return load_keys(self.store)

    @cached_property
    def start_bits(self) -> pa.Table:
        """The conditions that a start tag settles, of queries in which the first node depends on conditions."""
        return start_bits(self.store.rows(file_step("first_condition")))

    @cached_property
    def lookup(self) -> Lookup | None:
        """The data for matching single messages by point lookups; None if lookups are not enough."""
        return self.kept.lookups.current(self.summary, self.checks)

    @cached_property
    def checks(self) -> Checks:
        """What lxml and Saxon decide about candidates."""
        return self.kept.checks(self.summary, self.limits)

    @cached_property
    def transforming(self) -> Transforming:
        """The transformations of the store."""
        return load_transforming(self.store, self.summary)

    @cached_property
    def correlating(self) -> Correlating:
        """The correlations of the store."""
        return load_correlating(self.store, self.summary)

    @cached_property
    def reads(self) -> StreamReads:
        """Which streams the visible correlations read."""
        return self.correlating.reads if self.summary.correlations else StreamReads([])

    def joins(self, stream: str) -> bool:
        """Whether correlations join messages of a stream, so that their times matter."""
        return self.reads.joins(stream)


class Kept:
    """What is kept from snapshot to snapshot, as it only grows: it is read again only if it has changed."""

    def __init__(self, store: Store) -> None:
        self.lookups = Lookups(store)
        self._store = store
        self._growing = Growing(store)
        self._checks: Checks | None = None
        self._cache: TagPathCache | None = None
        self._stamp: tuple[object, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the tables were not rewritten."""
        return self._growing.valid

    def cache(self, summary: Summary, limits: Limits, keys: KeyPaths | None) -> TagPathCache:
        """Return the tag-path cache; it is filled anew if there are new linear paths, uses or reference tables."""
        copying, keeping, referred = summary.nodes_bound, summary.checks > 0, () if keys is None else keys.paths
        stamp = (self._store.rows(file_step("path_stamp"))[0]["amount"], copying, keeping, referred)
        if self._cache is None or self._stamp != stamp:
            self._cache = tagpath_cache(self._store, limits, copying=copying, keeping=keeping, keys=keys)
            self._stamp = stamp
        return self._cache

    def checks(self, summary: Summary, limits: Limits) -> Checks:
        """Return what lxml and Saxon decide; expressions stay compiled."""
        self._checks = self._checks or Checks({}, limits, self._store.check_costs.add)
        if summary.checks:
            self._checks.add({row["check_id"]: (row["expression"], row["namespaces"])
                              for row in self._growing.new(file_step("known_check")).to_pylist()})
        return self._checks


class Snapshots:
    """Holds the current snapshot of a store."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._kept = Kept(store)
        self._known: Known | None = None

    def known(self) -> Known:
        """Return the snapshot, taken again if subscriptions have changed."""
        changes = self._store.engine.shared.changes
        if self._known is None or self._known.changes != changes:
            self._known = Known(self._store, self._limits, changes, self._now())
        return self._known

    def grow(self) -> None:
        """Take a new snapshot after tag paths were added; the cache has them."""
        if self._known is not None:
            self._known = replace(self._known)

    def _now(self) -> Kept:
        """Return what is kept, unless the tables were rewritten."""
        if not self._kept.valid:
            self._kept = Kept(self._store)
        return self._kept

    def forget(self) -> None:
        """Drop the snapshot after a failure."""
        self._kept = Kept(self._store)
        self._known = None
