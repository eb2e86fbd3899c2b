"""Whether the answers are the same: a measurement of wrong answers is worth nothing."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.baselines.vectors import Numbers, Pairs


class Disagreement(Exception):
    """Two ways of matching gave different answers."""


def numbered(notifications: pa.Table) -> Pairs:
    """The numbers in the ids m12 and s345 of notifications."""
    return _numbers(notifications["message_id"]), _numbers(notifications["subscription_id"])


def _numbers(ids: pa.ChunkedArray) -> Numbers:
    digits = pc.utf8_slice_codeunits(ids.cast(pa.string()), 1)
    return np.asarray(digits.cast(pa.int64()).to_numpy())


def check_pairs(notifications: pa.Table, expected: Pairs, what: str) -> None:
    """The notifications are the expected pairs."""
    ours, theirs = _keys(numbered(notifications)), _keys(expected)
    if not np.array_equal(ours, theirs):
        different = np.setxor1d(ours, theirs)
        raise Disagreement(f"{what}: {len(ours)} notifications, {len(theirs)} expected, {len(different)} differ")


def _keys(pairs: Pairs) -> Numbers:
    messages, subscriptions = (each.astype(np.int64) for each in pairs)
    return np.sort((messages << 32) + subscriptions)


def check_sample(
    notifications: pa.Table, matches: Collection[tuple[int, int]], messages: int, subscriptions: int, what: str
) -> None:
    """The notifications of the first messages and subscriptions are the matches."""
    numbers = numbered(notifications)
    inside = (numbers[0] < messages) & (numbers[1] < subscriptions)
    ours = set(zip(numbers[0][inside].tolist(), numbers[1][inside].tolist(), strict=True))
    if ours != set(matches):
        different = sorted(ours ^ set(matches))
        raise Disagreement(f"{what}: {len(different)} of {messages * subscriptions} pairs differ, first {different[0]}")
