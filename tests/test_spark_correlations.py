"""Correlations on Spark: workers find the witnesses, the driver joins; held against the loop as on DuckDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import xpubsub
from tests.correlation_generate import Streams
from tests.test_correlation_agreement import Found, batches, expected, given, notified, outputs, published, subscribe

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.mark.parametrize(("seed", "plan"), [(0, "auto"), (1, "auto"), (2, "auto"), (2, "sql")])
def test_correlations_agree_with_a_loop(connect: Any, seed: int, plan: str) -> None:
    messages, queries = given(seed, 16, 30)
    broker = connect("spark")
    subscribe(broker, queries)
    assert published(broker, messages, Random(seed), 8, plan) == expected(queries, messages)


def test_more_than_two_blocks_agree_with_a_loop(connect: Any) -> None:
    source = Streams(Random(3))
    messages = source.messages(9)
    every = [*source.queries(5, messages, 1, 200, 3), *source.queries(2, messages, 0, 200, 3)]
    queries = {f"q{n}": query for n, query in enumerate(every)}
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


def killing(write: Any, random: Random) -> Iterator[Any]:
    """Functions that write some files, and are then killed."""
    while True:
        left = random.randrange(1, 9)

        def cut_off(self: Any, folder: str, rows: Any) -> str:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return str(write(self, folder, rows))

        yield cut_off


def test_killed_again_and_again(spark_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that was killed at some file, and is then published again, gives what the loop gives."""
    from xpubsub.engines.store_files import StoreFiles

    messages, queries = given(31, 12, 12)
    random, found, killed = Random(5), Found(), 0
    write = StoreFiles.write
    kills = killing(write, random)
    with xpubsub.connect(tmp_path / "store", spark=spark_session) as broker:
        subscribe(broker, queries)
    for batch in batches(messages, Random(3), 4):
        with xpubsub.connect(tmp_path / "store", spark=spark_session) as broker:
            monkeypatch.setattr(StoreFiles, "write", next(kills))
            try:
                found += notified(broker, *batch)
                continue
            except Killed:
                killed += 1
            finally:
                monkeypatch.setattr(StoreFiles, "write", write)
        with xpubsub.connect(tmp_path / "store", spark=spark_session) as broker:
            found += notified(broker, *batch)
    assert killed and found == expected(queries, messages)
