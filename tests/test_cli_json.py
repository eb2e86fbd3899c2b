"""What commands print as JSON, to standard output, and to compressed files."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import xpubsub
from tests.test_cli import TICK, run

PAIR = "S//a AS $x [@k AS $k] FOLLOWED BY { $k = $l, 10s } S//b AS $y [@k AS $l]"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "subs.duckdb"
    with xpubsub.connect(path) as broker:
        broker.subscribe_many([("s1", "//price > 50"), ("ä", "//price = $x"), ("c1", PAIR)], variables={"x": "60"})
        broker.publish([("m0", "<a k='1'/>", 10)])
    (path.parent / "m.xml").write_text(TICK.format(60))
    return path


def objects(*arguments: object) -> list[dict[str, Any]]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_notifications(store: Path) -> None:
    assert objects("publish", store, store.parent / "m.xml") == [
        {"message_id": str(store.parent / "m.xml"), "subscription_id": each, "output": None} for each in ("s1", "ä")]


def test_lists_and_subscriptions(store: Path) -> None:
    listed = objects("list", store)
    assert [row["subscription_id"] for row in listed] == ["c1", "s1", "ä"] and listed[1]["text"] == "//price > 50"
    shown, = objects("show", store, "ä")
    assert shown["variables"] == {"x": "60"} and shown["way"] == "indexed" and shown["queries"]


def test_stats_and_clocks(store: Path) -> None:
    stats, = objects("stats", store)
    assert stats["subscriptions"] == 3 and stats["clocks"]["S"] >= 10 and stats["delays"] == {}
    clock, = objects("clock", store)
    assert clock["stream"] == "S"
    assert objects("schema", store) == []
    assert all(set(row) == {"table", "rows"} for row in objects("gc", store))


def test_an_explanation(store: Path) -> None:
    found, = objects("explain", store, "s1", store.parent / "m.xml")
    assert found["matches"] and found["queries"][0]["branches"][0]["holds"]
    assert run("explain", store, "s1", store.parent / "m.xml", "--json", "--sql").exit_code == 2


def test_a_dash_is_standard_output_and_files_can_be_compressed(store: Path, tmp_path: Path) -> None:
    plain = run("list", store, "--output", "-")
    assert plain.exit_code == 0 and plain.stdout.startswith("subscription_id\t")
    for ending in ("csv", "jsonl"):
        file = tmp_path / f"all.{ending}.gz"
        assert run("list", store, "--output", file).exit_code == 0
        with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines)) if ending == "csv" else [json.loads(line) for line in lines]
        assert [row["subscription_id"] for row in rows] == ["c1", "s1", "ä"]
        assert list(tmp_path.glob(".*")) == []


@pytest.mark.parametrize("options", [
    ["--output", "all.parquet.gz"], ["--output", "all.gz"], ["--output", "all.csv", "--json"], ["--output", "all.txt"],
])
def test_outputs_that_cannot_be(store: Path, tmp_path: Path, options: list[str]) -> None:
    result = run("list", store, options[0], tmp_path / options[1], *options[2:])
    assert result.exit_code == 2 and "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == []
    assert run("publish", store, store.parent / "m.xml", "--rejects", "-").exit_code == 2
