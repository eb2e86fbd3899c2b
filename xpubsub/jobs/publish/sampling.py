"""Samples the values of messages, from which the selectivity of predicates is estimated."""

from __future__ import annotations

from xpubsub.step import Step, file_step
from xpubsub.store.store import Store

ENOUGH = 10_000
"""The number of messages after which sampling stops."""


class Sampler:
    """Samples batches until enough messages were seen, and small batches only while little is known."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sampled: int | None = None

    def worth(self, messages: int) -> bool:
        """Whether a batch of this many messages should be sampled."""
        if self._sampled is None:
            self._sampled = int(self._store.rows(file_step("seen_messages"))[0]["messages"])
        return self._sampled < ENOUGH and bool(messages) and messages * 10 >= self._sampled

    def sample(self, messages: int) -> None:
        """Store the values of the current batch, if a batch of this many messages should be sampled."""
        if self.worth(messages):
            self._store.run(file_step("value_seen"))
            self.keep(file_step("value_sample"), messages)

    def keep(self, sample: Step, messages: int) -> None:
        """Store a sample of this many messages."""
        self._store.append(("value_sample", sample))
        self._sampled = (self._sampled or 0) + messages
