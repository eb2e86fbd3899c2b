"""The examples of the page on overload run, and print what it says."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from tests.test_docs import BLOCK, PROMPT, README, without_time

PAGE = (README.parent / "docs" / "overload.md").read_text(encoding="utf-8")


def test_console_examples(tmp_path: Path) -> None:
    """All in one folder, one shell after the other."""
    environment = {**os.environ, "PYTHONPATH": str(README.parent), "COLUMNS": "120", "NO_COLOR": "1"}
    shown: list[tuple[str, list[str]]] = []
    for language, body in BLOCK.findall(PAGE):
        for line in body.splitlines() if language == "console" else []:
            if line.startswith(PROMPT):
                shown.append((line.removeprefix(PROMPT), []))
            else:
                shown[-1][1].append(line)
    assert len(shown) >= 5
    for command, expected in shown:
        script = f'xpubsub() {{ {shlex.quote(sys.executable)} -m xpubsub "$@"; }}\n{command}'
        done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        assert without_time(done.stdout) == without_time("\n".join(expected)), command


def test_python_examples() -> None:
    [source] = [body for language, body in BLOCK.findall(PAGE) if language == "python"]
    exec(compile(source, "overload.md", "exec"), {"__name__": "docs"})
