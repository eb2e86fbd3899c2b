"""Weights of a subscriber, by the paths as the transformation writes them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

import xpubsub
from tests.flwr_generate import Transformations
from tests.spill_queries import Q1, uses_of
from xpubsub.cli import program
from xpubsub.jobs.overload.choosing import Chooser
from xpubsub.jobs.overload.transformations import StoredTransformations
from xpubsub.language.flwr.parser import parse_flwr
from xpubsub.language.flwr.weights import _returned, linear_weights
from xpubsub.spill.candidates import NOTHING
from xpubsub.spill.cost import CostConstants


@pytest.mark.parametrize(("query", "weights", "expected"), [
    (Q1, {"$a/d": 10, "$a//b": 0.5}, {"/a/d": 10.0, "/a//b": 0.5}),
    (Q1, {"$a / d": 10}, {"/a/d": 10.0}),
    ("for $a in /x//a, $b in $a/b return <r>{ $a/@k, $b }</r>", {"$b": 2, "$a/@k": 3}, {"/x//a/b": 2.0, "/x//a/@k": 3.0}),
    ("for $a in //a return <r>{ $a/p[@k = 1]/q }{ //t }</r>", {"$a/p[@k = 1]/q": 2, "//t": 3}, {"//a/p/q": 2.0, "//t": 3.0}),
    ("<r>{ for $a in /a return $a/b }{ for $a in /c return $a/b }</r>", {"$a/b": 2}, {"/a/b": 2.0, "/c/b": 2.0}),
    ("declare namespace p = 'urn:p'; for $a in /p:a return $a/p:b", {"$a/p:b": 2}, {"/{urn:p}a/{urn:p}b": 2.0}),
    (Q1, {}, {}),
])
def test_weights(query: str, weights: dict[str, float], expected: dict[str, float]) -> None:
    assert linear_weights(parse_flwr(query), weights) == expected


@pytest.mark.parametrize(("weights", "reason"), [
    ({"$a/price": 10}, r"does not return \$a/price; the paths that it returns: \$a//b, \$a/d, \$a/b/c"),
    ({"$a": 10}, "does not return"), ({7: 10}, "a path in weights must be a str, not int"),
    ({"$a/d": -1}, "must be a number of at least 0, not -1"), ({"$a/d": float("nan")}, "at least 0"),
    ({"$a/d": float("inf")}, "at least 0"), ({"$a/d": "10"}, "at least 0"), ({"$a/d": True}, "at least 0"),
    (["$a/d"], "must map returned paths to numbers, not list"),
])
def test_weights_that_are_refused(weights: Any, reason: str) -> None:
    with xpubsub.connect(":memory:") as broker, pytest.raises(xpubsub.Error, match=reason):
        broker.subscribe("q", Q1, weights=weights)


def test_weights_are_for_transformations() -> None:
    pair = "S//a AS $x [b AS $y] FOLLOWED BY {$y = $z, 1h} S//a AS $w [b AS $z]"
    with xpubsub.connect(":memory:") as broker:
        for text in ("/a/b", pair):
            with pytest.raises(xpubsub.Error, match="has no weights: they are for the paths that a transformation returns"):
                broker.subscribe("x", text, weights={"$a/d": 2})
        with pytest.raises(xpubsub.RowErrors) as refused:
            broker.subscribe_many([{"id": "q", "text": Q1, "weights": {"$a/x": 1}}, {"id": "r", "text": Q1, "weights": "{"}])
        assert [row["subscription_id"] for row in refused.value.rows] == ["q", "r"]
        assert ["does not return $a/x" in row["reason"] for row in refused.value.rows] == [True, False]


def test_rows_files_and_exports_have_weights(tmp_path: Path) -> None:
    rows = [{"id": "q", "text": Q1, "weights": {"$a/d": 10, "$a//b": 0.5}}, {"id": "r", "text": Q1, "weights": '{"$a/d": 3}'},
            {"id": "s", "text": Q1}]
    wanted = {"q": {"$a//b": 0.5, "$a/d": 10.0}, "r": {"$a/d": 3.0}, "s": {"$a/b/c": 2.0}}
    with xpubsub.connect(tmp_path / "one.duckdb") as broker:
        broker.subscribe_many(rows, weights={"$a/b/c": 2})
        assert {name: broker.show(name).weights for name in wanted} == wanted
        assert broker.subscribe("r", Q1, weights={"$a/d": 3}) == 0
        with pytest.raises(xpubsub.Error, match="with other weights"):
            broker.subscribe("r", Q1, weights={"$a/d": 4})
        broker.unsubscribe(["s"])
        broker.gc()
        assert broker.show("q").weights == wanted["q"]
    runner = CliRunner()
    for ending in ("csv", "jsonl", "parquet"):
        file, store = str(tmp_path / f"listed.{ending}"), str(tmp_path / f"{ending}.duckdb")
        assert runner.invoke(program, ["list", str(tmp_path / "one.duckdb"), "--output", file]).exit_code == 0
        assert runner.invoke(program, ["subscribe", store, "--from", file]).exit_code == 0
        with xpubsub.connect(store) as broker:
            assert {name: broker.show(name).weights for name in "qr"} == {name: wanted[name] for name in "qr"}


def test_the_command_line(tmp_path: Path) -> None:
    runner, store = CliRunner(), str(tmp_path / "s.duckdb")
    text = "for $a in /a return $a/b[@k = 1]/c"
    given = ["subscribe", store, "--id", "q", text, "--weight"]
    assert runner.invoke(program, [*given, "$a/b[@k = 1]/c=2.5"]).exit_code == 0
    assert "weight $a/b[@k = 1]/c=2.5" in runner.invoke(program, ["show", store, "q"]).output
    for wrong, reason in (("x", "is not PATH=NUMBER"), ("=2", "is not PATH=NUMBER"), ("$a/b=x", "is not PATH=NUMBER"),
                          ("$a/b=2", "does not return $a/b"), ("$a/b=-1", "at least 0")):
        found = runner.invoke(program, [*given, wrong])
        assert found.exit_code == 2 and reason in found.output, found.output


def test_price_first() -> None:
    """Example 1: what is worth most to subscribers goes out first, though it costs as much as the rest."""
    auction = "for $c in /camera return <r>{ $c/features, $c/price, $c/sizes }</r>"
    inside = "".join(f"<x>{n}</x>" for n in range(30))
    xml = f"<camera>{''.join(f'<{name}>{inside}</{name}>' for name in ('features', 'price', 'sizes'))}</camera>".encode()
    for path, name in (("$c/features", "features"), ("$c/price", "price"), ("$c/sizes", "sizes")):
        with xpubsub.connect(":memory:") as broker:
            broker.subscribe("q", auction, weights={path: 10})
            chooser = Chooser(xpubsub.Overload(budget=5.0), StoredTransformations(broker.store, broker.limits, "S"),
                              constants=CostConstants(c_token=1e-6))
            chooser.look([xml])
            chooser.learn(100, 1.0, NOTHING)
            spilled = chooser.choose(150.0).candidate
            assert 0 < len(spilled) < 3 and f"/camera/{name}" not in spilled


@pytest.mark.parametrize("seed", range(30))
def test_every_returned_path_can_be_weighted(seed: int) -> None:
    text = Transformations(Random(seed)).transformation()[0]
    copied = {use.linear_path for use in uses_of(text) if use.need == "copy"}
    assert copied <= {path for _, path in _returned(parse_flwr(text), {})}
