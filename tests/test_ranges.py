"""Queries without an equality: found by two ranges at once, and the same answers as lxml and all other plans give."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import xpubsub
from tests import inside
from tests.conftest import PLANS
from tests.judge import pairs, verdicts
from xpubsub.jobs.publish import sampling
from xpubsub.plan import summary as summary_module
from xpubsub.plan.choose import choose
from xpubsub.plan.request import AUTOMATIC

FIELDS = ("a", "b", "c", "d", "e", "f", "g", "h")


def quote(random: Random) -> str:
    values = [("x", "", "-0", " 7 ")[random.randrange(4)] if random.random() < 0.1 else str(random.randrange(-9, 60) / 2)
              for _ in FIELDS * 2]
    fields = "".join(f"<{name}>{value}</{name}>" for name, value in zip(FIELDS * 2, values, strict=True))
    return f"<m>{fields}</m>"


def condition(random: Random) -> str:
    """Some to many ranges, now and then with an equality or a text between them."""
    ranges = [f"/m/{name} {random.choice(('<', '<=', '>', '>='))} {random.randrange(-20, 140) / 4}"
              for name in random.sample(FIELDS, random.randrange(1, 8))]
    more = ["/m/a = 7", "contains(/m/b, '1')", "/m[c]", "/m/a > 2 and /m/a > 3"]
    return " and ".join([*ranges, *random.sample(more, random.random() < 0.2)])


def given(seed: int, queries: int, messages: int) -> tuple[dict[str, str], dict[str, str]]:
    random = Random(seed)
    return ({f"s{n}": condition(random) for n in range(queries)}, {f"m{n}": quote(random) for n in range(messages)})


@pytest.mark.parametrize("classes", [False, True])
def test_ranges_agree_with_lxml(monkeypatch: pytest.MonkeyPatch, connect: Any, engine: str, classes: bool) -> None:
    if engine == "spark" and not classes:
        pytest.skip("test_agreement has it")
    monkeypatch.setattr(summary_module, "MANY_PATHS", 0 if classes else 10**9)
    monkeypatch.setattr(sampling, "ENOUGH", 0)
    texts, messages = given(5, 900, 25)
    broker = connect(engine, slots=4)
    cut = 700 if engine == "duckdb" else len(texts)
    broker.subscribe_many(list(texts.items())[:cut])
    if rest := list(texts.items())[cut:]:
        broker.subscribe_many(rest)
    sure = verdicts(messages, texts, {})
    for plan in PLANS if engine == "duckdb" and not classes else PLANS[:1]:
        assert pairs(broker.publish(messages.items(), plan=plan).notifications.to_pylist()) == sure
    summary = inside.known(broker).summary
    assert summary.pairs > 20 and summary.classes == classes and choose(AUTOMATIC, summary).plan == "unroll"
    if engine == "duckdb":
        broker.unsubscribe(list(texts)[:300])
        broker.gc()
        left = {pair for pair in sure if int(pair[1][1:]) >= 300}
        assert pairs(broker.publish(messages.items()).notifications.to_pylist()) == left


def test_ranges_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "ENOUGH", 0)
    texts = {f"s{n}": f"/m/a > {n} and /m/b < {-n / 2}" for n in range(300)}
    messages = {f"m{n}": f"<m><a>{n * 31 % 300}</a><b>{-(n * 17 % 150)}</b></m>" for n in range(30)}
    messages["low"] = "<m><a>2.5</a><b>-2</b></m>"
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(texts.items())
        assert inside.known(broker).summary.pairs
        results = [broker.publish([message]) for message in messages.items()]
        found = set().union(*(pairs(result.notifications.to_pylist()) for result in results))
        assert found == verdicts(messages, texts, {}) and any("candidate" not in each.timings for each in results)


def test_two_keys_that_collide_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from xpubsub.arrange import keys

    monkeypatch.setattr(keys, "stable_id", lambda *parts: 5 if parts[0] == "pair" else hash(parts) & (2**63 - 1))
    texts = {f"s{n}": f"/m/a > {n} and /m/b < {n % 50}" for n in range(300)}
    with xpubsub.connect(":memory:") as broker, pytest.raises(xpubsub.StoreError, match="same id"):
        broker.subscribe_many(texts.items())
