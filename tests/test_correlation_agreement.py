"""Random streams × random correlations: a brute-force loop decides, whatever the cuts between batches.

Nor does it matter in which order messages arrive, as long as they are not too late, how often the store is opened
again, or where the process is killed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as drawing
from hypothesis import strategies as st

import xpubsub
from tests.correlation_generate import FINITE, WINDOWS, Message, Query, Streams, canonical
from tests.forks import killed
from xpubsub.plan.request import CORRELATION_PLANS
from xpubsub.step import Step

Found = Counter[tuple[str, str, str]]
"""How often there is: a message that was published last, a correlation, an output."""
Arrivals = list[tuple[str, Message]]
"""Messages with their streams, in the order in which they arrive."""
STATE = ("rdoc_ts", "rbin", "rdoc", "rcopy", "rreturn")


def expected(queries: dict[str, Query], messages: Arrivals) -> Found:
    found: Found = Counter()
    for name, query in queries.items():
        for (message_id, output), times in query.results(messages).items():
            found[message_id, name, output] += times
    return found


def batches(messages: Arrivals, random: Random, most: int) -> Iterator[tuple[str, list[Message]]]:
    """Batches of random sizes, each of one stream."""
    for stream, group in groupby(messages, key=lambda each: each[0]):
        waiting = [message for _, message in group]
        while waiting:
            size = random.randint(1, most)
            yield stream, waiting[:size]
            waiting = waiting[size:]


def notified(broker: xpubsub.Broker, stream: str, batch: list[Message], plan: str = "auto") -> Found:
    rows = broker.publish(batch, stream=stream, plan=plan).notifications.to_pylist()
    return Counter((row["message_id"], row["subscription_id"], canonical(row["output"])) for row in rows)


def published(broker: xpubsub.Broker, messages: Arrivals, random: Random, most: int, plan: str = "auto") -> Found:
    return sum((notified(broker, *batch, plan) for batch in batches(messages, random, most)), Found())


def given(
    seed: int, messages: int, queries: int, windows: tuple[tuple[str, float], ...] = WINDOWS
) -> tuple[Arrivals, dict[str, Query]]:
    """Messages and correlations, half of which find something."""
    source = Streams(Random(seed), windows=windows)
    drawn = source.messages(messages)
    every = [*source.queries(queries // 2, drawn, least=1), *source.queries(queries // 2, drawn, least=0)]
    return drawn, {f"q{n}": query for n, query in enumerate(every)}


@cache
def given_blocks(blocks: int) -> tuple[Arrivals, dict[str, Query]]:
    """Messages and correlations of more than two blocks."""
    source = Streams(Random(blocks))
    messages = source.messages(9)
    every = [*source.queries(5, messages, 1, 200, blocks), *source.queries(2, messages, 0, 200, blocks)]
    return messages, {f"q{n}": query for n, query in enumerate(every)}


def subscribe(broker: xpubsub.Broker, queries: dict[str, Query]) -> None:
    broker.subscribe_many([(name, query.text) for name, query in queries.items()])


@pytest.mark.parametrize("seed", range(4))
def test_correlations_agree_with_a_loop(seed: int) -> None:
    messages, queries = given(seed, 14, 16)
    with xpubsub.connect(":memory:") as broker:
        subscribe(broker, queries)
        assert published(broker, messages, Random(seed), 8) == expected(queries, messages)


@pytest.mark.parametrize("plan", CORRELATION_PLANS[1:])
def test_other_plans_agree_with_a_loop(plan: str) -> None:
    messages, queries = given(1, 12, 12)
    with xpubsub.connect(":memory:") as broker:
        subscribe(broker, queries)
        assert published(broker, messages, Random(2), 12, plan) == expected(queries, messages)


@pytest.mark.parametrize("plan", CORRELATION_PLANS)
@pytest.mark.parametrize("blocks", [3, 4])
def test_more_than_two_blocks_agree_with_a_loop(plan: str, blocks: int) -> None:
    messages, queries = given_blocks(blocks)
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(max_joins=12)) as broker:
        subscribe(broker, queries)
        assert published(broker, messages, Random(3), 4, plan) == expected(queries, messages)


def outputs(found: Found) -> Counter[tuple[str, str]]:
    """What is found, whichever message came last."""
    counted: Counter[tuple[str, str]] = Counter()
    for (_, name, output), times in found.items():
        counted[name, output] += times
    return counted


@pytest.mark.parametrize("seed", range(2))
def test_any_order_of_arrival_gives_the_same(seed: int) -> None:
    messages, queries = given(10 + seed, 10, 12)
    arrived = Random(seed).sample(messages, len(messages))
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(lateness=40.0)) as broker:
        subscribe(broker, queries)
        found = published(broker, arrived, Random(seed), 5)
    assert found == expected(queries, arrived)
    assert outputs(found) == outputs(expected(queries, messages))


@pytest.mark.parametrize("lateness", [3.0, None])
def test_messages_that_are_late_find_what_is_in_their_window(lateness: float | None) -> None:
    """Each message comes after some that are later than it by the lateness at most; by default the longest window."""
    messages, queries = given(20, 16, 12, windows=FINITE)
    random, late = Random(1), 10.0 if lateness is None else lateness
    messages.sort(key=lambda each: each[1][2] + random.uniform(0.0, late))
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(lateness=lateness)) as broker:
        subscribe(broker, queries)
        assert published(broker, messages, Random(2), 6) == expected(queries, messages)
        kept = broker.store.rows(Step("kept", "select * from rdoc_ts as d anti join gone_message as g on g.docid = d.docid"))
    assert 0 < len(kept) < len(messages), "the test is of messages that are let go, too"


def test_a_store_that_is_opened_again_between_batches(tmp_path: Path) -> None:
    messages, queries = given(30, 12, 12)
    found: Found = Counter()
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        subscribe(broker, queries)
    for batch in batches(messages, Random(3), 4):
        with xpubsub.connect(tmp_path / "s.duckdb") as broker:
            found += notified(broker, *batch)
    assert found == expected(queries, messages)


def test_the_state_is_that_of_two_windows() -> None:
    """The same messages come in each of ten windows, with other times; T is silent, but keeps up."""
    messages, queries = given(40, 10, 12, windows=FINITE)
    sizes: list[dict[str, int]] = []
    with xpubsub.connect(":memory:") as broker:
        subscribe(broker, queries)
        broker.subscribe("path", "SELECT <o>{ $x//b }</o> FROM S//a AS $x [.//c AS $i] JOIN { $i = $j, 9s } S//b AS $y [.//c AS $j]")
        for window in range(10):
            notified(broker, "S", [(f"m{window}-{n}", xml, 10.0 * window + n) for n, (_, (_, xml, _)) in enumerate(messages)])
            broker.set_clock("T", 10.0 * window + 9)
            sizes.append({name: broker.store.rows(Step("n", f"select count(*) as n from {name}"))[0]["n"] for name in STATE})
    assert max(size["rdoc_ts"] for size in sizes) <= 30 / 0.8, "two windows and a batch, and a fifth that may be gone"
    for name in STATE:
        assert 0 < max(size[name] for size in sizes[5:]) <= max(size[name] for size in sizes[:5]), name


SCRIPT = """
import sys, xpubsub
from tests.test_correlation_agreement import killed_batches, notified
broker = xpubsub.connect(sys.argv[1])
print("open", flush=True)
for batch in killed_batches()[{}:]:
    notified(broker, *batch)
    print("batch", flush=True)
"""


def killed_batches() -> list[tuple[str, list[Message]]]:
    return list(batches(Streams(Random(50)).messages(18), Random(4), 2))


def test_killed_again_and_again(tmp_path: Path) -> None:
    messages, queries = given(50, 18, 12)
    path, random, finished = tmp_path / "s.duckdb", Random(5), 0
    with xpubsub.connect(path) as broker:
        subscribe(broker, queries)
    for _ in range(3):
        finished += killed(SCRIPT.format(finished), path, random.uniform(0.0, 0.6))
    left = killed_batches()[finished:]
    with xpubsub.connect(path) as broker:
        found = sum((notified(broker, *batch) for batch in left), Found())
    ids = {message_id for _, batch in left for message_id, _, _ in batch}
    assert found == Counter({key: times for key, times in expected(queries, messages).items() if key[0] in ids})


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@drawing(st.integers(0, 10**9), st.sampled_from(CORRELATION_PLANS), st.integers(2, 4), st.integers(1, 4))
def test_small_draws_agree_with_a_loop(seed: int, plan: str, number: int, most: int) -> None:
    messages, queries = given(seed, number, 2)
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(lateness=40.0)) as broker:
        subscribe(broker, queries)
        assert published(broker, messages, Random(seed), most, plan) == expected(queries, messages)
