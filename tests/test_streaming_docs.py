"""The examples of the page on streams run, and print what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

import xpubsub
from tests.test_docs import README, assert_printed, blocks, examples

PAGE = (README.parent / "docs" / "streaming.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## Documents that never end"):].split("\n## ")[0]


def test_console_examples(tmp_path: Path) -> None:
    """All in one folder, one shell after the other."""
    shown = examples(SECTION)
    assert len(shown) >= 5
    assert_printed(shown, tmp_path)


def test_python_examples(capsys: pytest.CaptureFixture[str]) -> None:
    [source] = blocks("python", SECTION)
    exec(compile(source, "streaming.md", "exec"), {"__name__": "docs"})
    assert capsys.readouterr().out == "log#2 alarm\n"


def test_examples_of_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory and lines, dead letters and delays, in the shell and in Python."""
    job = PAGE[PAGE.index("## The streaming job"):].split("\n### While the job runs")[0]
    shown = examples(job)
    assert len(shown) >= 10
    assert_printed(shown, tmp_path)
    monkeypatch.chdir(tmp_path)
    with xpubsub.connect("python.duckdb") as broker:
        broker.subscribe("large", "//total > 1000")
        (tmp_path / "rejected").rename("before")
        (tmp_path / "matches").rename("matched")
        for source in blocks("python", job):
            exec(compile(source, "streaming.md", "exec"), {"broker": broker})
        assert broker.show("report").max_delay == "5m"
    assert capsys.readouterr().out == "3 2 1\n"
