"""The snapshot of a store that is kept between batches; each part is read when it is first needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from xpubsub.jobs.paths import tagpath_cache
from xpubsub.jobs.publish.attribute_conditions import start_bits
from xpubsub.jobs.publish.correlating import Correlating, load_correlating
from xpubsub.jobs.publish.single import Lookup, load_lookup
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
    filled_cache: TagPathCache | None = None
    """The tag-path cache of an earlier snapshot with the same subscriptions."""

    @cached_property
    def summary(self) -> Summary:
        """The counts by which the plan is chosen."""
        [row] = self.store.rows(file_step("summary"))
        return Summary(**{name: int(value) for name, value in row.items()})

    @cached_property
    def cache(self) -> TagPathCache:
        """The tag-path cache, which grows as this process shreds messages."""
        summary = self.summary
        return self.filled_cache or tagpath_cache(
            self.store, self.limits, copying=summary.nodes_bound, keeping=summary.checks > 0, keys=self.keys)

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
        return load_lookup(self.store, self.summary, self.checks)

    @cached_property
    def checks(self) -> Checks:
        """What lxml and Saxon decide about candidates."""
        rows = self.store.rows(file_step("known_check"))
        return Checks({row["check_id"]: (row["expression"], row["namespaces"]) for row in rows}, self.limits)

    @cached_property
    def transforming(self) -> Transforming:
        """The transformations of the store."""
        return load_transforming(self.store, self.summary)

    @cached_property
    def correlating(self) -> Correlating:
        """The correlations of the store."""
        return load_correlating(self.store, self.summary)

    def joins(self, stream: str) -> bool:
        """Whether correlations join messages of a stream, so that their times matter."""
        return bool(self.summary.correlations) and self.correlating.reads.joins(stream)


class Snapshots:
    """Holds the current snapshot of a store."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._known: Known | None = None

    def known(self) -> Known:
        """Return the snapshot, taken again if subscriptions have changed."""
        changes = self._store.engine.shared.changes
        if self._known is None or self._known.changes != changes:
            self._known = Known(self._store, self._limits, changes)
        return self._known

    def grow(self) -> None:
        """Take a new snapshot after tag paths were added, but keep the cache, which has them."""
        if self._known is not None:
            cache = vars(self._known).get("cache", self._known.filled_cache)
            self._known = replace(self._known, filled_cache=cache)

    def forget(self) -> None:
        """Drop the snapshot after a failure."""
        self._known = None
