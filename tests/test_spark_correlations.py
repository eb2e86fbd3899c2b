"""Correlations on Spark: workers find the witnesses, the driver joins; held against the loop as on DuckDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

import xpubsub
from tests.test_correlation_agreement import (
    Found,
    batches,
    expected,
    given,
    given_blocks,
    notified,
    outputs,
    published,
    subscribe,
)

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.mark.parametrize(("seed", "plan"), [(0, "auto"), (1, "auto"), (2, "auto"), (2, "sql")])
def test_correlations_agree_with_a_loop(connect: Any, seed: int, plan: str) -> None:
    messages, queries = given(seed, 16, 30)
    broker = connect("spark")
    subscribe(broker, queries)
    assert published(broker, messages, Random(seed), 8, plan) == expected(queries, messages)


def test_more_than_two_blocks_agree_with_a_loop(connect: Any) -> None:
    messages, queries = given_blocks(3)
    broker = connect("spark", limits=xpubsub.Limits(max_joins=12))
    subscribe(broker, queries)
    assert published(broker, messages, Random(3), 4) == expected(queries, messages)


def test_any_order_of_arrival_gives_the_same(connect: Any) -> None:
    messages, queries = given(10, 10, 12)
    arrived = Random(0).sample(messages, len(messages))
    broker = connect("spark", limits=xpubsub.Limits(lateness=40.0))
    subscribe(broker, queries)
    found = published(broker, arrived, Random(0), 5)
    assert found == expected(queries, arrived) and outputs(found) == outputs(expected(queries, messages))


def test_a_store_that_is_opened_again_between_batches(connect: Any) -> None:
    messages, queries = given(30, 12, 12)
    found: Found = Counter()
    subscribe(connect("spark"), queries)
    for batch in batches(messages, Random(3), 4):
        found += notified(connect("spark"), *batch)
    assert found == expected(queries, messages)


class Killed(BaseException):
    """Ends a call as a kill would: nothing that the call does afterwards counts."""


WRITING = ("_write", "_record", "_move")
"""What is done to the files of a transaction, one after the other."""


@contextmanager
def killed_after(left: int) -> Iterator[None]:
    """Kill a process after it has done this many things to files."""
    from xpubsub.engines.store_files import StoreFiles

    def cutting(name: str) -> Any:
        done = getattr(StoreFiles, name)

        def cut_off(self: Any, *given: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return done(self, *given)

        return cut_off

    with pytest.MonkeyPatch.context() as patch:
        for name in WRITING:
            patch.setattr(StoreFiles, name, cutting(name))
        yield


def test_killed_again_and_again(spark_session: Any, tmp_path: Path) -> None:
    """A batch that was killed at some file, and is then published again, gives what the loop gives."""
    messages, queries = given(31, 12, 12)
    random, found, killed = Random(5), Found(), 0
    with xpubsub.connect(tmp_path / "store", spark=spark_session) as broker:
        subscribe(broker, queries)
    for batch in batches(messages, Random(3), 4):
        with xpubsub.connect(tmp_path / "store", spark=spark_session) as broker, killed_after(random.randrange(1, 24)):
            try:
                found += notified(broker, *batch)
                continue
            except Killed:
                killed += 1
        with xpubsub.connect(tmp_path / "store", spark=spark_session) as broker:
            found += notified(broker, *batch)
    assert killed and found == expected(queries, messages)
