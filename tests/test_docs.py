"""The README cannot drift: its examples run, and it names every command."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from xpubsub.cli.program import COMMANDS

README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = "$ "
COMMAND = "xpubsub "


def blocks(language: str, text: str | None = None) -> list[str]:
    """The blocks of a language in a page; in the README unless a text is given."""
    if text is None:
        text = README.read_text(encoding="utf-8") if README.exists() else ""
    return [body for found, body in BLOCK.findall(text) if found == language]


def examples(text: str | None = None) -> list[tuple[str, str]]:
    """Each command of the console blocks with what it is said to print, in order."""
    found: list[tuple[str, list[str]]] = []
    for body in blocks("console", text):
        for line in body.splitlines():
            if line.startswith(PROMPT):
                found.append((line.removeprefix(PROMPT), []))
            elif found:
                found[-1][1].append(line)
    return [(command, "\n".join(lines).strip()) for command, lines in found]


def assert_printed(shown: list[tuple[str, str]], folder: Path) -> None:
    """Run commands in one folder, one shell after the other; each must print what is expected of it."""
    environment = {**os.environ, "PYTHONPATH": str(README.parent), "COLUMNS": "120", "NO_COLOR": "1"}
    for command, expected in shown:
        script = f'xpubsub() {{ {shlex.quote(sys.executable)} -m xpubsub "$@"; }}\n{command}'
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        assert without_time(done.stdout) == without_time(expected), command


def without_time(text: str) -> str:
    """Times differ from run to run; so does the white space at the ends of lines."""
    lines = [re.sub(r"\d+\.\d+ s\b", "N s", line).rstrip() for line in text.splitlines()]
    return "\n".join(lines).strip()


DOCS = [README, README.parent / "CONTRIBUTING.md", *sorted((README.parent / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)#]+)(?:#[\w-]+)?\)")


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_pictures_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, "tools/pictures.py", "--check"], cwd=README.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    assert re.search(rf"\bxpubsub {command}\b", README.read_text(encoding="utf-8"))


EXAMPLES = [pytest.param(body, id=f"python-{n}{'-spark' if 'SparkSession' in body else ''}") for n, body in enumerate(blocks("python"), 1)]


@pytest.mark.parametrize("source", EXAMPLES)
def test_python_examples_run(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "SparkSession" in source:
        request.getfixturevalue("spark_session")
    monkeypatch.chdir(tmp_path)
    exec(compile(source, "README.md", "exec"), {"__name__": "readme"})


def test_console_examples_print_what_they_say(tmp_path: Path) -> None:
    """All in one folder, in the README's order; lines other than `$ xpubsub` that make files run as they are."""
    shown = examples()
    assert any(command.startswith(COMMAND) for command, _ in shown)
    assert_printed([each for each in shown if not each[0].startswith("make ")], tmp_path)
