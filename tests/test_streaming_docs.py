"""The examples of the page on streams run, and print what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

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
