"""What is known of a store between batches: one snapshot, each part of which is read when it is first needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from xpubsub.jobs.paths import known_linear_paths, known_tagpaths, load_key_index, tagpath_cache
from xpubsub.jobs.publish.correlating import Correlating, load_correlating
from xpubsub.jobs.publish.single import Lookup, load_lookup
from xpubsub.jobs.publish.transforming import Transforming, load_transforming
from xpubsub.limits import Limits
from xpubsub.match.path_matches import LinearUse
from xpubsub.plan.summary import Summary
from xpubsub.shred.key_index import KeyIndex
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.step import file_step
from xpubsub.store.store import Store


@dataclass(frozen=True, eq=False)
class Known:
    """A snapshot of a store, valid until its subscriptions or tag paths change."""

    store: Store
    limits: Limits
    changes: int
    """The change of subscriptions that the snapshot is as of."""
    filled_cache: TagPathCache | None = None
    """The cache of tag paths of an earlier snapshot with the same subscriptions."""

    @cached_property
    def summary(self) -> Summary:
        """Counts that the plan is chosen from."""
        [row] = self.store.rows(file_step("summary"))
        return Summary(**{name: int(value) for name, value in row.items()})

    @cached_property
    def tagpaths(self) -> dict[str, int]:
        """The tag paths of the store, with their use."""
        return known_tagpaths(self.store)

    @cached_property
    def linear_paths(self) -> dict[str, LinearUse]:
        """The linear paths of the store, with their use and annotations."""
        return known_linear_paths(self.store)

    @cached_property
    def cache(self) -> TagPathCache:
        """The cache of tag paths, which grows with what is shredded in this process."""
        return self.filled_cache or tagpath_cache(self.store, self.limits, copying=self.summary.nodes_bound)

    @cached_property
    def index(self) -> KeyIndex | None:
        """The keys by tag path, to be looked up while messages are shredded; None if they are too many."""
        return load_key_index(self.store, self.summary)

    @cached_property
    def lookup(self) -> Lookup | None:
        """What point lookups for single messages need; None if they are not enough."""
        return load_lookup(self.store, self.summary)

    @cached_property
    def transforming(self) -> Transforming:
        """The transformations."""
        return load_transforming(self.store, self.summary)

    @cached_property
    def correlating(self) -> Correlating:
        """The correlations."""
        return load_correlating(self.store, self.summary)

    def joins(self, stream: str) -> bool:
        """Whether correlations join messages of a stream, so that their times matter."""
        return bool(self.summary.correlations) and self.correlating.reads.joins(stream)


class Snapshots:
    """The snapshot of a store that is valid now."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._known: Known | None = None

    def known(self) -> Known:
        """The snapshot, taken anew if subscriptions have changed."""
        changes = self._store.engine.shared.changes
        if self._known is None or self._known.changes != changes:
            self._known = Known(self._store, self._limits, changes)
        return self._known

    def grow(self) -> None:
        """Tag paths were added: everything is read again but for the cache, which has them."""
        if self._known is not None:
            cache = vars(self._known).get("cache", self._known.filled_cache)
            self._known = replace(self._known, filled_cache=cache)

    def forget(self) -> None:
        """Something failed: trust nothing that is remembered."""
        self._known = None
