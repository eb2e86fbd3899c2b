"""Keys looked up in memory, and single messages by point lookups: the same answers as the joins give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import xpubsub
from tests import inside
from tests.conftest import PLANS
from tests.generate import NAMESPACES, Expressions, Messages
from xpubsub.compile.subscriptions import Compiler
from xpubsub.jobs.paths import tagpath_cache
from xpubsub.jobs.publish import query_cache, sampling
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.shredding import Paths, shredded_by
from xpubsub.jobs.publish.single import Lookup
from xpubsub.limits import Limits
from xpubsub.plan import summary as summary_module
from xpubsub.plan.filter_case import FilterCase
from xpubsub.plan.filter_steps import unroll_slots
from xpubsub.plan.filters import KEYS_HELD, UNROLL
from xpubsub.plan.listing import Listing, steps_of
from xpubsub.shred.messages import MessageShredder
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.step import whole

Pairs = set[tuple[str, str]]
FIELDS = ("a", "b", "c")


def quote(random: Random) -> str:
    fields = "".join(f"<{name}>{random.choice(('', '-0', ' 3 ', 'x', str(random.randrange(9))))}</{name}>" for name in FIELDS)
    return f"<m><s>S{random.randrange(5)}</s>{fields * random.randrange(1, 3)}</m>"


def condition(random: Random) -> str:
    ranges = [f"/m/{name} {random.choice(('<', '<=', '>', '>=', '='))} {random.randrange(-2, 9)}"
              for name in random.sample(FIELDS, random.randrange(1, 4))]
    return " and ".join([f"/m/s = 'S{random.randrange(5)}'", *ranges] if random.random() < 0.7 else ranges)


def accepted(expressions: Expressions, count: int) -> list[str]:
    """Random expressions that are supported."""
    found: list[str] = []
    while len(found) < count:
        text = expressions.expression()[0]
        with suppress(xpubsub.Error):
            Compiler(NAMESPACES).queries(text)
            found.append(text)
    return found


def pairs(result: xpubsub.Result) -> Pairs:
    return {(row["message_id"], row["subscription_id"]) for row in result.notifications.to_pylist()}


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[xpubsub.Broker]:
    monkeypatch.setattr(sampling, "ENOUGH", 0)
    with xpubsub.connect(":memory:") as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_one_by_one_as_together(broker: xpubsub.Broker, seed: int) -> None:
    random = Random(seed)
    broker.subscribe_many([(f"s{n}", condition(random)) for n in range(300)])
    broker.subscribe_many([(f"t{n}", condition(random)) for n in range(30)], stream="T")
    messages = [(f"m{n}", quote(random)) for n in range(15)]
    for change in range(3):
        for stream in "ST":
            together = pairs(broker.publish(messages, stream=stream))
            results = [broker.publish([message], stream=stream) for message in messages]
            assert set.union(*map(pairs, results)) == together
            assert sum(result.notifications.num_rows for result in results) == len(together)
            assert any("lookup" in result.timings and "candidate" not in result.timings for result in results)
        broker.unsubscribe([f"s{n}" for n in range(change, 300, 3)])
        broker.subscribe_many([(f"s{n}", condition(random)) for n in range(change, 100, 3)])
        broker.subscribe(f"again{change}", "/m/s = 'S1' and /m/a > 2")
    broker.gc()
    assert set.union(*(pairs(broker.publish([message])) for message in messages)) == pairs(broker.publish(messages))


@pytest.mark.parametrize("text", ["//a[b]/c", "contains(/m/s, 'S')", "/m/s = 'S1' or /m/a = 1", "not(/m/zzz)"])
def test_what_asks_for_more_than_keys_is_decided_for_candidates_alone(broker: xpubsub.Broker, text: str) -> None:
    broker.subscribe_many([("plain", "/m/s = 'S1'"), ("other", text)])
    message = ("m", "<m><s>S1</s><a>1<b/><c/></a></m>")
    result = broker.publish([message])
    assert pairs(result) == {("m", "plain"), ("m", "other")} and alone(result)


def alone(result: xpubsub.Result) -> bool:
    """Whether lookups were enough, without the joins."""
    return "lookup" in result.timings and "load" not in result.timings


@pytest.mark.parametrize("slots", [1, 5])
@pytest.mark.parametrize("seed", range(4))
def test_any_filters_one_by_one_as_together(monkeypatch: pytest.MonkeyPatch, seed: int, slots: int) -> None:
    """Texts, branches, `not()`, `or` and long chains; tag paths that the first messages did not have."""
    monkeypatch.setattr(sampling, "ENOUGH", 0)
    monkeypatch.setattr(summary_module, "MANY_PATHS", 10**9)
    random = Random(seed)
    source, expressions = Messages(random), Expressions(random, branching=seed % 2 == 1)
    texts = accepted(expressions, 150)
    messages = [(f"m{n}", source.message()) for n in range(25)]
    with xpubsub.connect(":memory:", slots=slots) as broker:
        broker.subscribe_many([(f"s{n}", text) for n, text in enumerate(texts)], namespaces=NAMESPACES)
        results = [broker.publish([message]) for message in messages]
        together = broker.publish(messages)
    assert set.union(*map(pairs, results)) == pairs(together)
    assert sum(each.notifications.num_rows for each in results) == together.notifications.num_rows
    assert sum(map(alone, results)) > 20


def test_a_message_that_no_correlation_can_bind_a_node_of_moves_the_clock_alone(broker: xpubsub.Broker) -> None:
    broker.subscribe("c", "SELECT <r>{ $x, $y }</r> FROM S/a AS $x FOLLOWED BY { $x = $y, 10s } S/b AS $y")
    broker.subscribe_many([("s", "/m/s"), ("a", "/a")])
    assert pairs(broker.publish([("m1", "<a>1</a>", 100)])) == {("m1", "a")}
    passed = broker.publish([("m2", "<m><s/></m>", 120)])
    assert alone(passed) and pairs(passed) == {("m2", "s")} and broker.clocks() == {"S": 120.0}
    late = broker.publish([("m3", "<m><s/></m>", 105)])
    assert not pairs(late) and late.rejected["code"].to_pylist() == ["late"]
    elsewhere = broker.publish([("m4", "<m><s/></m>", 1)], stream="T")
    assert alone(elsewhere) and not elsewhere.rejected.num_rows and broker.clocks() == {"S": 120.0}
    assert pairs(broker.publish([("m5", "<a>2</a>", 125)])) == {("m5", "a")}
    replacing = broker.publish([("m5", "<m><s/></m>", 126)])
    assert replacing.replaced["message_id"].to_pylist() == ["m5"] and not alone(replacing)
    assert pairs(broker.publish([("m6", "<b>2</b>", 127)])) == set()


def test_lookups_grow_with_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """New subscriptions and new tag paths between single messages; garbage collection, and a call that fails."""
    monkeypatch.setattr(sampling, "ENOUGH", 0)
    monkeypatch.setattr(summary_module, "MANY_PATHS", 10**9)
    random = Random(12)
    source, expressions = Messages(random), Expressions(random)
    texts = [(f"s{n}", text) for n, text in enumerate(accepted(expressions, 90))]
    with xpubsub.connect(":memory:") as broker, xpubsub.connect(":memory:") as fresh:
        lookups = set()
        for first in range(0, 90, 10):
            broker.subscribe_many(texts[first : first + 10], namespaces=NAMESPACES)
            fresh.subscribe_many(texts[first : first + 10], namespaces=NAMESPACES)
            with suppress(xpubsub.Error):
                broker.subscribe_many([("good", "//a"), ("bad", "//a[")])
            if first % 20 == 0:
                broker.unsubscribe([f"s{first}"])
                fresh.unsubscribe([f"s{first}"])
            if first == 60:
                broker.gc()
            for each in range(4):
                message = (f"m{each}", source.message())
                assert pairs(broker.publish([message])) == pairs(fresh.publish([message, ("n", "<n/>")])) - {
                    pair for pair in pairs(fresh.publish([("n", "<n/>")]))}
            lookups.add(id(inside.known(broker).lookup))
        assert len(lookups) <= 2, "read anew only after garbage collection"


def test_a_message_that_no_transformation_can_bind_a_node_of_skips_their_steps(broker: xpubsub.Broker) -> None:
    broker.subscribe_many([
        ("plain", "/m/s"), ("found", "for $m in /m where $m/s = 'S1' return <r>{ $m/s }</r>"),
        ("path", "for $o in //order return <o>{ $o/sku }</o>")])
    for xml, also in (("<m><s>S2</s></m>", set()), ("<m><s>S1</s></m>", {"found"}), ("<m><order/></m>", {"path"})):
        expected = pairs(broker.publish([("m", xml), ("n", "<none/>")]))
        result = broker.publish([("m", xml)])
        assert pairs(result) == {pair for pair in expected if pair[0] == "m"}
        assert also <= {subscription for _, subscription in pairs(result)} and (not also or not alone(result))


def test_a_large_message_alone(broker: xpubsub.Broker) -> None:
    broker.subscribe_many([("first", "/m/s = 'S0'"), ("last", "/m/s = 'S8999'"), ("range", "/m/s and /m/n > 8998")])
    large = "".join(f"<s>S{n}</s><n>{n}</n>" for n in range(9000))
    assert pairs(broker.publish([("m", f"<m>{large}</m>")])) == {("m", "first"), ("m", "last"), ("m", "range")}


def test_a_bad_message_alone_is_set_aside(broker: xpubsub.Broker) -> None:
    broker.subscribe("s", "/m/s = 'S1'")
    result = broker.publish([("m", "<m>")])
    assert result.notifications.num_rows == 0 and result.rejected["code"].to_pylist() == ["not-well-formed"]
    assert pairs(broker.publish([("m", "<m><s>S1</s></m>")])) == {("m", "s")}


HeldRow = tuple[int, int, float]
"""(event id, key, its greatest value)."""


@contextmanager
def joined(broker: xpubsub.Broker, messages: list[tuple[str, str]], listing: Listing) -> Iterator[list[HeldRow]]:
    """Look up messages in the index, and run steps on the same messages; their relations stay within the block."""
    store, summary, lookup = broker.store, inside.known(broker).summary, inside.known(broker).lookup
    assert lookup is not None
    index, indexed = lookup.index, list[HeldRow]()
    shredder = MessageShredder(tagpath_cache(store, Limits()), Limits())
    for number, (name, xml) in enumerate(messages, start=1):
        before = len(shredder.rows)
        shredder.shred([(number, name, xml)])
        indexed += [(number, key, top + 0.0) for key, top in index.held(shredder.rows[before:]).items()]
    with store.engine.pipeline():
        store.engine.load("sax_parse_result", shredder.nodes())
        store.engine.load("event", shredder.events())
        store.run(*steps_of(listing, FilterCase("unroll", summary)))
        yield indexed


def test_the_index_holds_what_the_step_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary_module, "MANY_PATHS", 10**9)
    random = Random(3)
    source, expressions = Messages(random), Expressions(random)
    ranges = [f"//a/b > {n / 7} and //c <= {n} and //@x != 3" for n in range(150)]
    with xpubsub.connect(":memory:") as broker:
        texts = [*ranges, *accepted(expressions, 80)]
        broker.subscribe_many([(f"s{n}", text) for n, text in enumerate(texts)], namespaces=NAMESPACES)
        messages = [(f"m{n}", source.message()) for n in range(40)]
        broker.publish(messages)
        with joined(broker, messages, UNROLL[: 2 + len(KEYS_HELD)]) as indexed:
            held = broker.store.engine.fetch(whole("key_held"))
    assert sorted(map(repr, rows(held))) == sorted(map(repr, indexed))
    assert any(row[2] not in (math.inf,) for row in rows(held))


def two_ranges(random: Random) -> str:
    """Two ranges, for which a query may be found by a pair key."""
    return f"/m/a > {random.randrange(-200, 900) / 100} and /m/b < {random.randrange(-200, 900) / 100}"


def by_event(table: pa.Table, column: str) -> dict[int, list[int]]:
    """The values of a column by message, sorted."""
    found: dict[int, list[int]] = {}
    for row in table.to_pylist():
        found.setdefault(row["event_id"], []).append(row[column])
    return {event: sorted(each) for event, each in found.items()}


@pytest.mark.parametrize("seed", range(4))
def test_slots_and_pairs_hold_in_memory_as_in_the_steps(seed: int) -> None:
    random = Random(seed)
    with xpubsub.connect(":memory:") as broker:
        texts = [random.choice((condition, two_ranges))(random) for _ in range(400)]
        broker.subscribe_many([(f"s{n}", text) for n, text in enumerate(texts)])
        messages = [(f"m{n}", quote(random)) for n in range(30)]
        broker.publish(messages)
        lookup = inside.known(broker).lookup
        assert lookup is not None and lookup.pairs
        with joined(broker, messages, UNROLL[: UNROLL.index(unroll_slots) + 1]) as indexed:
            keys = by_event(broker.store.engine.fetch(whole("lookup_held")), "key")
            queries = by_event(broker.store.engine.fetch(whole("unroll_slots")), "query_id")
        held: dict[int, dict[int, float]] = {}
        for event_id, key, top in indexed:
            held.setdefault(event_id, {})[key] = top
        found = {event: sorted([*each, *lookup.paired(each)]) for event, each in held.items()}
        assert found == keys
        passing = {event: passing_queries(broker, lookup, held[event], each) for event, each in keys.items()}
    assert queries and {event: each for event, each in passing.items() if each} == queries


def passing_queries(broker: xpubsub.Broker, lookup: Lookup, held: dict[int, float], keys: list[int]) -> list[int]:
    """The queries that are found by some keys and whose slots hold, looked up in memory."""
    ordered = sorted(held)
    columns = np.array(ordered, np.int64), np.array([held[key] for key in ordered])
    found = lookup.recent.queries(broker.store, [key for key in keys if key in lookup.lookup_keys])
    return sorted(query_cache.passing(found, *columns)[0].tolist())


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return [(row["event_id"], row["key"], row["max_value"] + 0.0) for row in table.to_pylist()]


def test_classes_of_paths_give_the_same_answers(
    monkeypatch: pytest.MonkeyPatch, connect: Any, engine: str
) -> None:
    random = Random(8)
    source, expressions = Messages(random), Expressions(random)
    texts = [(f"s{n}", text) for n, text in enumerate(accepted(expressions, 60))]
    messages = [(f"m{n}", source.message()) for n in range(15)]
    broker = connect(engine, slots=2)
    broker.subscribe_many(texts, namespaces=NAMESPACES)
    plain = pairs(broker.publish(messages))
    monkeypatch.setattr(summary_module, "MANY_PATHS", 0)
    assert inside.known(broker).summary.classes and plain
    assert pairs(broker.publish(messages, plan=PLANS[0])) == plain
    assert pairs(broker.publish(messages, plan=PLANS[0])) == plain, "and once more, with what the first time has left"


def test_what_is_kept_between_batches_follows_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of paths, kept for batches of one snapshot: new subscriptions, new tag paths, gc, a failed transaction."""
    monkeypatch.setattr(summary_module, "MANY_PATHS", 0)
    random = Random(9)
    source, expressions = Messages(random), Expressions(random)
    texts = [(f"s{n}", text) for n, text in enumerate(accepted(expressions, 60))]
    with xpubsub.connect(":memory:") as broker:
        for change in range(6):
            broker.subscribe_many(texts[10 * change : 10 * change + 10], namespaces=NAMESPACES)
            if change == 3:
                broker.unsubscribe(["s1", "s2"])
                broker.gc()
            messages = [(f"m{n}", source.message()) for n in range(6)]
            with suppress(ZeroDivisionError):
                broker._publisher.publish(Batch(messages, "S"), lambda result: 1 // 0)  # type: ignore[arg-type]
            for _ in range(2):
                found = pairs(broker.publish(messages, plan="unroll"))
                assert found == pairs(broker.publish(messages, plan="share"))


def test_a_store_arranged_by_an_earlier_version_is_arranged_anew(tmp_path: Any) -> None:
    path, message = tmp_path / "s.duckdb", ("m", "<m><s>S1</s><a>3</a></m>")
    with xpubsub.connect(path) as broker:
        broker.subscribe_many([(f"s{n}", f"/m/s = 'S1' and /m/a > {n}") for n in range(5)])
        for table in ("query_summary", "predicate_unroll", "predicate_key", "query_predicate", "lookup_subscription"):
            broker.store.engine._execute("test", f"delete from {table}")  # type: ignore[attr-defined]
    with xpubsub.connect(path) as broker:
        for plan in ("auto", *PLANS):
            assert pairs(broker.publish([message], plan=plan)) == {("m", "s0"), ("m", "s1"), ("m", "s2")}


def test_queries_asked_for_last_are_remembered_up_to_a_number(
    broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_cache, "MOST_ROWS", 5)
    broker.subscribe_many([(f"s{n}", f"/m/s = 'S{n % 4}' and /m/a < {n}") for n in range(16)])
    messages = [(f"m{n}", f"<m><s>S{n % 4}</s><a>{n % 7}</a></m>") for n in (0, 1, 0, 2, 3, 1, 0, 2)]
    together = [pairs(broker.publish([message])) for message in messages]
    assert together == [
        {(message_id, f"s{n}") for n in range(16) if n % 4 == int(message_id[1:]) and int(message_id[1:]) < n}
        for message_id, _ in messages
    ]
    lookup = inside.known(broker).lookup
    assert lookup is not None
    assert len(lookup.recent._found) == 1 and lookup.recent._rows == 4
    broker.unsubscribe(["s14"])
    assert ("m2", "s14") in together[-1] and pairs(broker.publish([messages[-1]])) == together[-1] - {("m2", "s14")}


def test_a_single_message_that_another_process_has_read(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its nodes are not in this process's rows: the joins find what lookups would miss."""
    def elsewhere(shredder: MessageShredder, cache: TagPathCache, messages: Iterable[Any]) -> None:
        shredded = shredded_by(Paths.of(cache, Limits()).cache(), Limits(), list(messages))
        shredder.include(shredded)
        cache.learn(shredded.tagpaths)

    broker.subscribe("s", "/m/s = 'S1'")
    publisher: Any = broker._publisher
    publisher._sampler._sampled = 10**6
    monkeypatch.setattr(publisher._shredding, "shred", elsewhere)
    assert pairs(broker.publish([("m", "<m><s>S1</s></m>")])) == {("m", "s")}
