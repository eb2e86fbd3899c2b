"""The subscriptions of a store while calls change them: for each that goes a new one comes."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

import xpubsub
from benchmarks.baselines.vectors import Pairs, StockMatcher
from benchmarks.checking import check_pairs
from benchmarks.parts.beside_numpy import shred_and_match
from benchmarks.workloads.stock import Conditions

Messages = Sequence[tuple[str, str]]


class Population:
    """Stored stock subscriptions s0, s1, …: the oldest go first, the new ones go on counting."""

    def __init__(self, broker: xpubsub.Broker, stored: Conditions, new: Conditions) -> None:
        self._broker = broker
        self._all = stored.joined(new)
        self._texts = list(new.texts())
        self._gone = 0
        self.size = len(stored)
        self.seconds = 0.0
        """Spent in calls so far."""

    def swap(self, times: int, at_once: int = 1) -> None:
        """Subscribe new ones and unsubscribe the oldest, so many, a few at once."""
        started = time.perf_counter()
        for first in range(self._gone, self._gone + times, at_once):
            numbers = range(first, min(first + at_once, self._gone + times))
            self._broker.subscribe_many([(f"s{self.size + number}", self._texts[number]) for number in numbers])
            self._broker.unsubscribe([f"s{number}" for number in numbers])
        self._gone += times
        self.seconds += time.perf_counter() - started

    def check(self, notifications: pa.Table, messages: Messages, what: str) -> None:
        """The notifications of messages are those of the numpy matcher, with the subscriptions of now."""
        check_pairs(notifications, self._expected(messages), what)

    def _expected(self, messages: Messages) -> Pairs:
        rows = np.arange(self._gone, self._gone + self.size)
        found, subscriptions = shred_and_match(messages, StockMatcher(self._all.take(rows))).pairs
        numbers = np.array([int(message_id[1:]) for message_id, _ in messages])
        return numbers[found], rows[subscriptions]
