"""Context-aware joins (Wei 2006, sections III and IV): where a batch is not recursive, no duplicates are removed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest

import xpubsub
from xpubsub.language.xpath.linear import accepted_names, linear_steps
from xpubsub.match.ways import is_recursive

Connect = Callable[..., xpubsub.Broker]
QUERIES = [
    "for $f in //section[title]//figure return <f>{$f/@id}</f>",
    "for $s in //section, $f in $s//section[title]//figure return <g>{$f/@id}</g>",
    "for $f in /book//section[@x or title]/figure return <h>{$f/@id}</h>",
    "for $s in //section return <s>{for $f in $s//*[title]//figure return <i>{$f/@id}</i>}</s>",
]
FLAT = "<book><section x='1'><title/><figure id='1'/><p><figure id='2'/></p></section><section><title/></section></book>"
NESTED = ("<book><section><title/><section x='2'><title/><figure id='1'/><section><title/><figure id='2'/></section>"
          "</section></section></book>")


def outputs(broker: xpubsub.Broker, plan: str, *messages: str) -> list[tuple[str, str, str]]:
    result = broker.publish([(f"m{n}", xml) for n, xml in enumerate(messages)], plan=plan)
    rows = result.notifications.to_pylist()
    return sorted((row["message_id"], row["subscription_id"], row["output"]) for row in rows)


def test_answers_do_not_depend_on_the_context(engine: str, connect: Connect) -> None:
    broker = connect(engine)
    broker.subscribe_many((f"q{n}", text) for n, text in enumerate(QUERIES))
    for messages in ((FLAT,), (NESTED,), (FLAT, NESTED)):
        found = outputs(broker, "auto", *messages)
        assert found
        assert found == outputs(broker, "no-context", *messages) == outputs(broker, "no-claims", *messages)


@pytest.mark.parametrize(("messages", "repeats"), [((FLAT,), False), ((NESTED,), True), ((FLAT, NESTED), True)])
def test_the_batch_decides(messages: tuple[str, ...], repeats: bool) -> None:
    """Nothing repeats in a flat batch; in others, only paths that are recursive there."""
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("q", QUERIES[0])
        steps = outputs(broker, "auto", *messages)
        result = broker.publish([(f"m{n}", xml) for n, xml in enumerate(messages)])
        assert steps
        assert ("may_repeat" in result.timings) == repeats
        assert "may_repeat" in broker.publish([("m", FLAT)], plan="no-context").timings
        assert "just in time" in broker.explain_sql()
        assert "just in time" not in broker.explain_sql("no-context")


def test_a_path_without_descendants_is_never_looked_at() -> None:
    """The recursion-free mode: the query alone decides."""
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("q", "for $p in /root/person[name]/child return $p")
        assert "just in time" not in broker.explain_sql()


def ways(linear_path: str, base: int, tagpath: str) -> bool:
    """By brute force: the ways to bind the steps below the base, for some node of the base more than one."""
    steps, names = linear_steps(linear_path), tagpath.strip("/").split("/")
    found: dict[int, set[tuple[int, ...]]] = {}
    for places in itertools.combinations(range(1, len(names) + 1), len(steps)):
        fits = all(
            name in accepted_names(names[place - 1]) and (descends or place == before + 1)
            for (descends, name), place, before in zip(steps, places, (0, *places), strict=False))
        if fits and places[-1] == len(names):
            found.setdefault(places[base - 1] if base else 0, set()).add(places[base:])
    return any(len(below) > 1 for below in found.values())


def test_recursive_tag_paths() -> None:
    rng = random.Random(1)
    seen = set()
    for _ in range(3000):
        steps = [rng.choice(["/", "//"]) + rng.choice("ab*") for _ in range(rng.randint(1, 4))]
        tagpath = "/" + "/".join(rng.choice("abc") for _ in range(rng.randint(1, 6)))
        base = rng.randrange(len(steps))
        wanted, found = ways("".join(steps), base, tagpath), is_recursive("".join(steps), base, tagpath)
        assert found or not wanted, "duplicates would not be removed"
        if not base:
            assert found == wanted
        seen.add(found)
    assert seen == {True, False}
