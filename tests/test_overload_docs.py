"""The examples of the page on overload run, and print what it says."""

from __future__ import annotations

from pathlib import Path

from tests.test_docs import README, assert_printed, blocks, examples

PAGE = (README.parent / "docs" / "overload.md").read_text(encoding="utf-8")


def test_console_examples(tmp_path: Path) -> None:
    """All in one folder, one shell after the other."""
    shown = examples(PAGE)
    assert len(shown) >= 5
    assert_printed(shown, tmp_path)


def test_python_examples() -> None:
    [source] = blocks("python", PAGE)
    exec(compile(source, "overload.md", "exec"), {"__name__": "docs"})
