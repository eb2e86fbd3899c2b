"""Clocks of streams: a loop says which messages are late, whatever the cuts of batches; clocks are shown and put right."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as drawing
from hypothesis import strategies as st

import xpubsub
from tests.correlation_generate import FINITE, Query, Streams
from tests.test_cli import run
from tests.test_correlation_agreement import Arrivals, Found, batches, canonical, expected, subscribe
from xpubsub.cli.tally import Tally

PAIR = "S/a AS $x {} {{ $x = $y, {} }} S/b AS $y"
A, B = "<a>1</a>", "<b>1</b>"


@pytest.fixture
def broker() -> Any:
    with xpubsub.connect(":memory:") as opened:
        yield opened


def codes(result: Any) -> list[tuple[str, str]]:
    return [(row["message_id"], row["code"]) for row in result.rejected.to_pylist()]


def notified(result: Any) -> list[tuple[str, str]]:
    return sorted((row["subscription_id"], row["message_id"]) for row in result.notifications.to_pylist())


def accepted(messages: Arrivals, queries: dict[str, Query], lateness: float | None) -> Arrivals:
    """What a loop accepts: what is not earlier than the clock of its stream, at its arrival, by more than the lateness."""
    read = {stream for query in queries.values() for stream in query.streams}
    longest = max(sum(operator.seconds for operator in query.operators) for query in queries.values())
    clocks: dict[str, float] = {}
    found: Arrivals = []
    for stream, message in messages:
        clock = clocks.get(stream, message[2])
        if stream not in read or message[2] >= clock - (longest if lateness is None else lateness):
            clocks[stream] = max(clock, message[2])
            found.append((stream, message))
    return found


def arrived(path: Path | str, messages: Arrivals, random: Random, most: int, limits: xpubsub.Limits) -> tuple[Found, set[str]]:
    """The notifications, and the messages rejected as late; a store in a file is opened again between batches."""
    found, late = Found(), set()
    broker = xpubsub.connect(path, limits=limits)
    for stream, batch in batches(messages, random, most):
        result = broker.publish(batch, stream=stream)
        rows = result.notifications.to_pylist()
        found += Found((row["message_id"], row["subscription_id"], canonical(row["output"])) for row in rows)
        assert all(code == "late" for _, code in codes(result))
        late |= {message_id for message_id, _ in codes(result)}
        if random.random() < 0.3:
            broker.close()
            broker = xpubsub.connect(path, limits=limits)
    broker.close()
    return found, late


def agree(tmp_path: Path, seed: int, lateness: float | None, number: int, most: int, blocks: int = 2) -> int:
    """Whatever the cuts, the same messages are late, and the others find all that a loop finds."""
    source = Streams(Random(seed), windows=FINITE)
    messages = source.messages(number)
    queries = {f"q{n}": query for n, query in enumerate(source.queries(3, messages, least=1, blocks=blocks))}
    if not queries:
        return 0
    limits = xpubsub.Limits(lateness=lateness, max_joins=12)
    kept = accepted(messages, queries, lateness)
    late = {message[0] for _, message in messages} - {message[0] for _, message in kept}
    for cut, largest in enumerate((1, most)):
        path = tmp_path / f"{seed}-{number}-{most}-{cut}-{time.monotonic_ns()}.duckdb"
        with xpubsub.connect(path, limits=limits) as broker:
            subscribe(broker, queries)
        assert arrived(path, messages, Random(seed + cut), largest, limits) == (expected(queries, kept), late)
    return len(late)


@pytest.mark.parametrize("lateness", [0.0, 4.0, None])
def test_whatever_the_cuts_the_same_messages_are_late(tmp_path: Path, lateness: float | None) -> None:
    assert agree(tmp_path, 7, lateness, 14, 5) > 0, "the test is of late messages"


def test_messages_of_three_blocks_find_their_partners_or_are_late(tmp_path: Path) -> None:
    assert agree(tmp_path, 12, 3.0, 10, 4, blocks=3) > 0


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@drawing(st.integers(0, 10**9), st.sampled_from([0.0, 2.0, 8.0, None]), st.integers(3, 7), st.integers(2, 7))
def test_small_draws_with_random_cuts_and_lateness(
    tmp_path: Path, seed: int, lateness: float | None, number: int, most: int
) -> None:
    agree(tmp_path, seed, lateness, number, most)


@pytest.mark.parametrize("cuts", [[3], [1, 2], [2, 1], [1, 1, 1]])
def test_a_message_behind_the_clock_is_late_in_the_same_batch_too(broker: xpubsub.Broker, cuts: list[int]) -> None:
    broker.subscribe("q", PAIR.format("JOIN", "5s"))
    broker.subscribe("f", "/b")
    messages = [("a", A, 0.0), ("x", "<x/>", 1000.0), ("b", B, 1.0)]
    rejected, found = [], []
    for size in cuts:
        result = broker.publish(messages[:size])
        messages = messages[size:]
        rejected += result.rejected.to_pylist()
        found += notified(result)
    [row] = rejected
    assert (row["message_id"], row["code"]) == ("b", "late") and found == [], "filters are not notified either"
    assert "1970-01-01T00:00:01Z (1 s) is more than 5 s before the clock of stream S, 1970-01-01T00:16:40Z (1000 s)" in row["reason"]


def test_what_is_rejected_does_not_move_the_clock(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
    far = time.time() + 10**6
    result = broker.publish([("a", A, 0.0), ("bad", "<a>", 500.0), ("a", A, 600.0), ("ahead", A, far), ("b", B, 1.0)])
    assert codes(result) == [("bad", "not-well-formed"), ("a", "duplicate-id"), ("ahead", "future")]
    assert notified(result) == [("q", "b")] and broker.clocks() == {"S": 1.0}


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds")])
def test_a_time_in_milliseconds_is_rejected_and_silences_nothing(broker: xpubsub.Broker, factor: float, unit: str) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
    now = time.time()
    broker.publish([("a", A, now)])
    result = broker.publish([("wrong", A, now * factor)])
    [row] = result.rejected.to_pylist()
    assert row["code"] == "future" and f"it looks like {unit}: divide it by {int(factor)}" in row["reason"]
    assert notified(broker.publish([("b", B, now + 1)])) == [("q", "b")]


@pytest.mark.parametrize("given", ["2999-01-01T00:00:00Z", "9999-12-31"])
def test_a_date_that_is_far_ahead_is_not_taken_for_milliseconds(broker: xpubsub.Broker, given: str) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
    [row] = broker.publish([("ahead", A, given)]).rejected.to_pylist()
    assert row["code"] == "future" and "divide" not in row["reason"]


def test_how_far_ahead_a_time_may_be_is_a_limit() -> None:
    ahead = time.time() + 1000
    for limit, rejected in ((500.0, 1), (1500.0, 0), (None, 0), (float("inf"), 0)):
        with xpubsub.connect(":memory:", limits=xpubsub.Limits(max_future=limit)) as broker:
            broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
            assert broker.publish([("a", A, ahead)]).rejected.num_rows == rejected


@pytest.mark.parametrize("text", [None, "SELECT * FROM S", PAIR.format("JOIN", "5s").replace("S/", "T/")])
def test_times_do_not_matter_where_nothing_is_joined(broker: xpubsub.Broker, text: str | None) -> None:
    broker.subscribe("f", "/b")
    if text is not None:
        broker.subscribe("q", text)
    for at in (1e12, 0.0):
        result = broker.publish([(f"b{at}", B, at)])
        assert not codes(result) and ("f", f"b{at}") in notified(result)


def test_with_a_window_without_an_end_nothing_is_late(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("JOIN", "INF"))
    broker.publish([("b", B, 10**9)])
    assert notified(broker.publish([("a", A, 0.0)])) == [("q", "a")]


def test_a_stream_that_is_published_as_a_whole_after_another_finds_it(broker: xpubsub.Broker) -> None:
    """What a message of T may still ask for is kept, however far S is ahead; T has a clock of its own."""
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s").replace("S/b", "T/b"))
    for n in range(5):
        broker.publish([(f"a{n}", f"<a>{n}</a>", 100.0 * n)])
    for n in range(5):
        assert notified(broker.publish([(f"b{n}", f"<b>{n}</b>", 100.0 * n + 1)], stream="T")) == [("q", f"b{n}")]
    assert broker.clocks() == {"S": 400.0, "T": 401.0}
    broker.publish([("a", "<a>x</a>", 402.0)])
    assert broker.stats()["messages kept"] == 3, "of both streams, what is older than two windows is dropped"


def test_a_clock_that_is_set_forward_lets_go_what_waits_for_a_silent_stream(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s").replace("S/b", "T/b"))
    for n in range(5):
        broker.publish([(f"a{n}", A, 100.0 * n)])
    assert broker.stats()["messages kept"] == 5
    broker.set_clock("T", 400.0)
    broker.publish([("a", A, 400.0)])
    assert broker.stats()["messages kept"] == 2
    assert codes(broker.publish([("b", B, 1.0)], stream="T")) == [("b", "late")]


@pytest.mark.parametrize("slices", [0, 100])
def test_a_clock_that_went_wrong_is_put_right(tmp_path: Path, slices: int) -> None:
    limits = xpubsub.Limits(max_future=None, slice_cache=slices)
    with xpubsub.connect(tmp_path / "s.duckdb", limits=limits) as broker:
        broker.subscribe("q", PAIR.format("JOIN", "5s"))
        broker.publish([("a", A, 100.0), ("wrong", A, 101_000.0)])
        assert codes(broker.publish([("b", B, 101.0)])) == [("b", "late")]
        assert broker.clocks() == {"S": 101_000.0}
        broker.set_clock("S", "1970-01-01T00:01:41Z")
    with xpubsub.connect(tmp_path / "s.duckdb", limits=limits) as broker:
        broker.gc()
        assert broker.clocks() == {"S": 101.0}
        assert notified(broker.publish([("a2", A, 100.0), ("b", B, 101.0)])) == [("q", "b")]
        assert notified(broker.publish([("b2", B, 101_001.0)])) == [], "what was later than the new clock is dropped"


def test_a_stream_without_a_clock_cannot_be_set(broker: xpubsub.Broker) -> None:
    broker.subscribe("q", PAIR.format("JOIN", "5s"))
    with pytest.raises(xpubsub.Error, match="stream T has no clock: no correlation reads it; the streams that are: S"):
        broker.set_clock("T", 0.0)
    with pytest.raises(xpubsub.Error, match="it looks like milliseconds"):
        broker.set_clock("S", time.time() * 1e3)
    with pytest.raises(xpubsub.Error, match="a clock's time is a number of seconds or a datetime"):
        broker.set_clock("S", "noon")
    assert broker.clocks() == {}


def test_lateness_is_not_negative() -> None:
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(lateness=-1.0)) as broker:
        broker.subscribe("q", PAIR.format("JOIN", "5s"))
        with pytest.raises(xpubsub.Error, match=r"Limits\.lateness must be a number of seconds >= 0"):
            broker.publish([("a", A, 0.0)])


def test_clocks_are_written_anew_before_they_are_many(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpubsub.jobs.publish.join_state._MOVES", 3)
    broker.subscribe("q", PAIR.format("JOIN", "INF"))
    for n in range(8):
        broker.publish([(f"x{n}", "<x/>", float(n))])
    assert broker.clocks() == {"S": 7.0} and len(broker.store.rows(all_clocks())) <= 4
    broker.unsubscribe(["q"])
    assert broker.clocks() == {} and broker.store.rows(all_clocks()) == []


def all_clocks() -> Any:
    from xpubsub.step import Step
    return Step("all_clocks", "select * from stream_clock")


CHAIN = ("SELECT <p>{ $x }</p> FROM " + PAIR.format("JOIN", "5s") + " PUBLISH P", "P/p AS $p JOIN { $p = $z, 5s } S/z AS $z")


@pytest.mark.parametrize("cuts", [[4], [2, 2], [1, 1, 1, 1]])
def test_what_is_published_onward_finds_its_partners_whatever_the_cuts(broker: xpubsub.Broker, cuts: list[int]) -> None:
    broker.subscribe_many(zip("pq", CHAIN, strict=True))
    messages = [("z", "<z>1</z>", 0.0), ("a", A, 0.0), ("b", B, 1.0), ("x", "<x/>", 1000.0)]
    found: list[str] = []
    for size in cuts:
        result = broker.publish(messages[:size])
        messages = messages[size:]
        assert not codes(result)
        found += [subscription for subscription, _ in notified(result)]
    assert sorted(found) == ["p", "q"]
    assert broker.clocks() == {"S": 1000.0, "P": 1000.0}, "a stream that is fed follows those that feed it"
    broker.publish([("y", "<z/>", 1001.0)])
    assert broker.stats()["messages kept"] == 1
    broker.set_clock("S", 10.0)
    assert broker.clocks() == {"S": 10.0, "P": 10.0}


def test_an_output_that_is_late_in_its_stream_is_reported(broker: xpubsub.Broker) -> None:
    broker.subscribe_many(zip("pq", CHAIN, strict=True))
    broker.publish([("p", "<p/>", 100.0)], stream="P")
    result = broker.publish([("a", A, 0.0), ("b", B, 1.0)])
    [row] = result.rejected.to_pylist()
    assert row["message_id"].startswith("P-") and row["code"] == "late" and "the clock of stream P" in row["reason"]
    assert [subscription for subscription, _ in notified(result)] == ["p"]


def test_a_message_that_replaces_another_is_reported(connect: Any, engine: str) -> None:
    broker = connect(engine)
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
    assert broker.publish([("m", A, 0.0), ("x", "<x/>", 0.0)]).replaced.num_rows == 0
    result = broker.publish([("m", B, 1.0), ("x", "<x/>", 1.0)])
    assert result.replaced.to_pylist() == [{"message_id": "m", "stream": "S", "time": 0.0}], "x was not kept"
    assert not notified(result)
    assert broker.publish([("m", A, -100.0)]).replaced.num_rows == 0, "a message that is rejected replaces nothing"


def test_late_and_future_on_both_engines(connect: Any, engine: str) -> None:
    broker = connect(engine)
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
    broker.subscribe("f", "/b")
    messages = [("a", A, 10.0), ("late", B, 4.0), ("wrong", B, 1e12), ("bad", "<a>", 50.0), ("b", B, 11.0)]
    result = broker.publish(messages)
    assert codes(result) == [("late", "late"), ("wrong", "future"), ("bad", "not-well-formed")]
    assert notified(result) == [("f", "b"), ("q", "b")]
    assert broker.clocks() == {"S": 11.0}
    broker.set_clock("S", 4.0)
    assert not codes(broker.publish([("late", B, 4.0)]))


def test_frames_on_spark_have_the_same_rule(connect: Any, spark_session: Any) -> None:
    broker = connect("spark")
    broker.subscribe("q", PAIR.format("FOLLOWED BY", "5s"))
    broker.subscribe("f", "/b")
    broker.publish([("a", A, 10.0)])
    rows = [("late", B, "1970-01-01T00:00:04"), ("wrong", B, "2999-01-01"), ("bad", "<a>", None), ("b", B, "1970-01-01T01:00:11+01:00")]
    form = "id string, xml string, timestamp string"
    notifications, rejected = broker.publish_frames(spark_session.createDataFrame(rows, form).coalesce(1))
    assert sorted((row.message_id, row.code) for row in rejected.collect()) == [
        ("bad", "not-well-formed"), ("late", "late"), ("wrong", "future")]
    assert sorted((row.subscription_id, row.message_id) for row in notifications.collect()) == [("f", "b"), ("q", "b")]
    assert broker.clocks() == {"S": 11.0}
    with pytest.raises(xpubsub.Error, match=r"message 'x': a message's time is a number of seconds.*not noon"):
        broker.publish_frames(spark_session.createDataFrame([("x", A, "noon")], form))


def test_the_shell_says_what_is_replaced(broker: xpubsub.Broker, capsys: pytest.CaptureFixture[str]) -> None:
    broker.subscribe("q", PAIR.format("JOIN", "5s"))
    tally = Tally()
    for at in range(2):
        tally.add(broker.publish([(f"m{n}", A, float(at)) for n in range(25)]))
    tally.report(timings=False)
    lines = capsys.readouterr().err.splitlines()
    earlier = "stream S kept it with time 1970-01-01T00:00:00Z (0 s)"
    assert lines[0] == f"replaced m0: {earlier}" and lines[20] == "... and 5 more were replaced"


def test_the_shell_shows_and_sets_clocks(tmp_path: Path) -> None:
    store, message = tmp_path / "s.duckdb", tmp_path / "m.xml"
    message.write_text(A)
    run("subscribe", store, "--id", "q", PAIR.format("JOIN", "5s"))
    assert "stream S has no clock" in run("clock", store, "--stream", "S").stderr
    assert run("publish", store, message).exit_code == 0
    shown = run("clock", store).stdout
    assert shown.startswith(f"S: {time.gmtime().tm_year}-") and f"clock of S\t{shown[3:].strip()}" in run("stats", store).stdout
    assert run("clock", store, "--stream", "S", "--set", "2024-05-01T12:00:00Z").stdout == "S: 2024-05-01T12:00:00Z (1714564800 s)\n"
    assert run("clock", store, "--stream", "S", "--set", "1714564801").stdout == "S: 2024-05-01T12:00:01Z (1714564801 s)\n"
    assert run("clock", store, "--set", "5").exit_code == 2
    assert run("clock", store, "--stream", "S", "--set", "noon").exit_code == 2
    wrong = run("clock", store, "--stream", "S", "--set", "1714564801000")
    assert wrong.exit_code == 2 and "it looks like milliseconds" in wrong.stderr
    assert run("publish", store, message, "--max-future", "0.0").exit_code == 0
