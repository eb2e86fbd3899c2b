"""`xpubsub merge` on files: every format, files that are empty, and files that are something else."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

import xpubsub
from tests.test_spill import DATA, Q1, sorted_rows
from xpubsub.cli import program
from xpubsub.cli.output import table_output
from xpubsub.cli.publish_command import PART_COLUMNS


@pytest.fixture(scope="module")
def parts() -> tuple[pa.Table, pa.Table, pa.Table]:
    """What went out first and later, twice for two messages with the same id; and what an undisturbed run gives."""
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([("q", Q1), ("f", "//c")])
        messages = [("m", DATA), ("n, \"n\"", DATA)]
        first = [broker.publish(messages, spill=["/a/b"]).notifications for _ in range(2)]
        undisturbed = broker.publish(messages).notifications
        return pa.concat_tables(first), broker.complete().notifications, pa.concat_tables([undisturbed] * 2)


def written(place: Path, table: pa.Table) -> str:
    with table_output(str(place), PART_COLUMNS) as writer:
        writer.write(table)
    return str(place)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_files_of_each_format(tmp_path: Path, parts: tuple[pa.Table, ...], ending: str) -> None:
    empty, merged = written(tmp_path / f"none.{ending}", parts[0].slice(0, 0)), str(tmp_path / "merged.parquet")
    files = [written(tmp_path / f"{name}.{ending}", table) for name, table in zip("ab", parts, strict=False)]
    done = CliRunner().invoke(program, ["merge", *reversed(files), empty, "--output", merged])
    assert done.exit_code == 0, done.output
    assert sorted_rows(pa.parquet.read_table(merged)) == sorted_rows(parts[2])


@pytest.mark.parametrize(("text", "reason"), [
    ('{"message_id": "x"}', "bad.jsonl has no column subscription_id and no column output and no column part: give what"),
    ("[1]", "bad.jsonl cannot be read"), ("x{", "bad.jsonl cannot be read")])
def test_other_files(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "bad.jsonl").write_text(text)
    done = CliRunner().invoke(program, ["merge", str(tmp_path / "bad.jsonl")])
    assert done.exit_code == 2 and reason in done.output
