"""What the driver of a Spark store knows of it between batches."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xpubsub.jobs.correlating import Correlating, load_correlating
from xpubsub.jobs.paths import known_linear_paths, known_tagpaths, load_key_index
from xpubsub.jobs.publish import summarise
from xpubsub.jobs.transforming import Transforming, load_transforming
from xpubsub.plan.choose import Summary, choose
from xpubsub.shred.key_index import KeyIndex
from xpubsub.shred.matches import LinearUse
from xpubsub.store.store import Store


@dataclass(frozen=True)
class Known:
    """What the driver knows of the store, and as of which change."""

    changes: int
    tagpaths: dict[str, int]
    linear_paths: dict[str, LinearUse]
    summary: Summary
    index: KeyIndex | None
    """For the keys that hold in a message, to be looked up while it is shredded."""
    transforming: Transforming | None = None
    correlating: Correlating | None = None

    def joins(self, stream: str) -> bool:
        """Whether correlations join messages of a stream, so that their times matter."""
        return self.correlating is not None and self.correlating.reads.joins(stream)

    def planned(self, plan: str) -> Known:
        """The same, with the index only where the plan can use it."""
        return self if choose(plan, self.summary).plan == "unroll" else self.without_index()

    def without_index(self) -> Known:
        """The same, with the keys to be found by joins."""
        return replace(self, index=None)


def load_known(store: Store) -> Known:
    """Read what there is to know of a store."""
    tagpaths, linear_paths, summary = known_tagpaths(store), known_linear_paths(store), summarise(store)
    transforming = load_transforming(store, summary) if summary.transformations else None
    correlating = load_correlating(store, summary) if summary.correlations else None
    index = load_key_index(store, summary)
    return Known(store.engine.shared.changes, tagpaths, linear_paths, summary, index, transforming, correlating)
