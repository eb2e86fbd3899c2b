"""Sampling the values that messages show, for the order of predicates."""

from __future__ import annotations

from xpubsub.plan.reads import EVENTS
from xpubsub.step import file_step
from xpubsub.store.store import Store

ENOUGH = 10_000
"""Messages after which values are known well enough."""


class Sampler:
    """Samples batches until enough messages were seen, and small ones only while little is known."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sampled: int | None = None

    def sample(self) -> None:
        """Append the values of the batch under way, if they are worth it."""
        if self._sampled is None:
            self._sampled = int(self._store.rows(file_step("seen_messages"))[0]["messages"])
        if self._sampled >= ENOUGH:
            return
        messages = int(self._store.rows(EVENTS)[0]["messages"])
        if messages and messages * 10 >= self._sampled:
            self._store.run(file_step("value_seen"))
            self._store.append(("value_sample", file_step("value_sample")))
            self._sampled += messages
