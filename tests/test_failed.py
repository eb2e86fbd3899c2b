"""Queries that raise an error in a message: the pair is reported, everything else goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import xpubsub
from xpubsub.cli.program import program
from xpubsub.errors import DynamicError
from xpubsub.output import parts, templates
from xpubsub.output.parts import OutputMessage, Rows, Write

Connect = Callable[..., xpubsub.Broker]
MESSAGES = [("m1", "<r><a>1</a></r>"), ("m2", "<r><a>x</a></r>"), ("m3", "<r><b/></r>"), ("m4", "<r>")]
FAILED = {"message_id": "m2", "subscription_id": "t", "code": "FORG0001", "reason": "no number: x"}


@pytest.fixture()
def raising(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let templates raise an error where a copied node contains an x."""
    content = parts.content

    def raising_content(*given: Any) -> Write:
        write = content(*given)

        def written(message: OutputMessage, nodes: Any, rows: Rows) -> str:
            text = write(message, nodes, rows)
            if "x" in text:
                raise DynamicError("FORG0001", "no number: x")
            return text
        return written
    monkeypatch.setattr(templates, "content", raising_content)
    templates._template.cache_clear()
    yield
    templates._template.cache_clear()


def found(table: Any) -> set[tuple[str, ...]]:
    return {tuple(row.values()) for row in table.to_pylist()}


@pytest.mark.usefixtures("raising")
@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("plan", ["f", "fw", "fwr"])
def test_a_pair_fails_and_the_batch_goes_on(connect: Connect, plan: str, checked: bool) -> None:
    broker = connect("duckdb")
    broker.subscribe_many([("t", "for $a in //a return $a"), ("u", "for $a in //a return <u/>"), ("s", "//a")])
    if checked:
        broker.subscribe("c", "count(//a | //b) = 1")
    result = broker.publish(MESSAGES, plan=plan)
    assert result.failed.to_pylist() == [FAILED]
    wanted = {("m1", "t", "<a>1</a>"), ("m1", "u", "<u/>"), ("m2", "u", "<u/>"), ("m1", "s", None), ("m2", "s", None)}
    wanted |= {(each, "c", None) for each in ("m1", "m2", "m3")} if checked else set()
    assert found(result.notifications) == wanted
    assert result.notifications.column_names == ["message_id", "subscription_id", "output"]
    assert result.rejected["message_id"].to_pylist() == ["m4"]
    assert not broker.publish(MESSAGES[:1], plan=plan).failed.num_rows


@pytest.mark.usefixtures("raising")
def test_spilled_messages_fail_once_they_are_complete(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("t", "for $a in //a return $a")
    result = broker.publish(MESSAGES[:2], spill=["//a"])
    assert not result.failed.num_rows and not result.notifications.num_rows
    completed = broker.complete()
    assert completed.failed.to_pylist() == [FAILED]
    assert found(completed.notifications) == {("m1", "t", "<a>1</a>", "whole")}


@pytest.mark.usefixtures("raising")
def test_the_shell_writes_failures(tmp_path: Path) -> None:
    store, run = str(tmp_path / "s.duckdb"), CliRunner().invoke
    assert run(program, ["subscribe", store, "--id", "t", "for $a in //a return $a"]).exit_code == 0
    lines = "\n".join(xml for _, xml in MESSAGES[:3])
    shown = run(program, ["publish", store, "-"], input=lines)
    assert shown.exit_code == 1
    assert "t failed in stdin-" in shown.stderr and "no number: x [FORG0001]" in shown.stderr
    assert "3 messages, 1 notifications, 0 rejected, 1 failed" in shown.stderr
    failures = tmp_path / "failed.parquet"
    written = run(program, ["publish", store, "-", "--failed", str(failures)], input=lines)
    assert written.exit_code == 1 and "FORG0001" not in written.stderr
    [row] = pq.read_table(failures).to_pylist()
    assert (row["subscription_id"], row["code"], row["reason"]) == ("t", "FORG0001", "no number: x")
    again = run(program, ["publish", store, "-", "--failed", "x.csv", "--rejects", "x.csv"], input=lines)
    assert again.exit_code == 2 and "--rejects and --failed name the same file" in again.stderr


@pytest.mark.usefixtures("raising")
def test_a_streaming_job_sends_failures_to_the_dead_letters(connect: Connect, tmp_path: Path) -> None:
    broker, inbox = connect("duckdb"), tmp_path / "in"
    broker.subscribe_many([("t", "for $a in //a return $a"), ("s", "//a")])
    inbox.mkdir()
    for name, xml in MESSAGES:
        (inbox / f"{name}.xml").write_text(xml)
    letters = tmp_path / "letters"
    figures = broker.stream(f"dir:{inbox}", f"dir:{tmp_path / 'out'}", dead_letters=f"dir:{letters}", once=True,
                            checkpoint=tmp_path / "job")
    assert (figures.messages, figures.notifications, figures.rejected, figures.failed) == (4, 3, 1, 1)
    rows = {row["subscription_id"]: row for path in letters.glob("batch-*") for row in pq.read_table(path).to_pylist()}
    assert rows["t"]["code"] == "FORG0001" and rows["t"]["raw"] is None
    assert rows[None]["raw"] == b"<r>"
    replayed = broker.replay(letters, f"dir:{tmp_path / 'again'}", checkpoint=tmp_path / "replay")
    assert (replayed.messages, replayed.rejected) == (1, 1)
