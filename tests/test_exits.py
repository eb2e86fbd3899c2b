"""How commands end: the exit codes of `docs/cli.md`, with real pipes and signals, and never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import xpubsub

XPUBSUB = f"{sys.executable} -m xpubsub"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exits") / "s.duckdb"
    with xpubsub.connect(path) as broker:
        broker.subscribe_many([(f"s{n}", f"/a[b >= {n}]") for n in range(9000)])
    (path.parent / "m.xml").write_text("<a><b>8900</b></a>")
    (path.parent / "bad.xml").write_text("<a>")
    return path


def interruptible() -> None:
    """Take Ctrl-C, which a test run in the background has been told to ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def shell(command: str, folder: Path) -> tuple[int, str]:
    """The exit code of the first command of a pipe, and what it says on stderr."""
    command = command.replace("xpubsub ", f"{XPUBSUB} ")
    script = f"({command.partition('|')[0]}; echo $? >code) | {command.partition('|')[2] or 'cat'}"
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    return int((folder / "code").read_text()), done.stderr


@pytest.mark.parametrize("command", [
    "publish s.duckdb m.xml | head -3", "publish s.duckdb bad.xml m.xml | head -1", "list s.duckdb | head -1", "stats s.duckdb | true",
    "explain s.duckdb s1 m.xml --sql | true", "--help | true", "publish s.duckdb m.xml 2>&1 | true", "list nosuch 2>&1 | true",
])
def test_a_closed_pipe_is_141_or_0_without_a_traceback(store: Path, command: str) -> None:
    code, said = shell(f"xpubsub {command}", store.parent)
    assert code in (141, 0) or ("nosuch" in command and code == 2)
    assert "Traceback" not in said and "Exception" not in said and "Error" not in said
    if "| head" in command:
        assert code == 141


@pytest.mark.parametrize(("command", "expected"), [
    ("publish s.duckdb m.xml >&- 2>&-", 0), ("publish s.duckdb bad.xml >&- 2>&-", 1), ("publish s.duckdb - <&-", 2),
    ("list s.duckdb >/dev/full", 2), ("publish s.duckdb m.xml >/dev/full", 2), ("list nosuch.duckdb 2>&-", 2),
    ("stats s.duckdb 2>/dev/full", 0), ("--help >/dev/full", 2), ("list nosuch 2>/dev/full", 2), ("publish s.duckdb bad.xml", 1), ("publish", 2),
])
def test_closed_and_full_streams(store: Path, command: str, expected: int) -> None:
    code, said = shell(f"xpubsub {command}", store.parent)
    assert code == expected, said
    assert "Traceback" not in said and "Exception ignored" not in said


@pytest.mark.parametrize("after", [0.0, 0.3, 1.0])
def test_ctrl_c_is_130(store: Path, tmp_path: Path, after: float) -> None:
    command = [*XPUBSUB.split(), "publish", str(store), "-", "--batch-size", "20", "--progress", "--output", str(tmp_path / "o.csv")]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=ENVIRONMENT, preexec_fn=interruptible, **pipes) as process:  # type: ignore[call-overload]  # noqa: PLW1509
        assert process.stdin is not None and process.stderr is not None
        os.set_blocking(process.stdin.fileno(), True)
        feeder = subprocess.Popen(["yes", "<a><b>8900</b></a>"], stdout=process.stdin, stderr=subprocess.DEVNULL)
        said = process.stderr.readline()
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        said += process.stderr.read()
        code = process.wait()
        feeder.kill()
        feeder.wait()
    assert code == 130 and said.rstrip().endswith(b"Error: interrupted") and b"Traceback" not in said
    assert not os.listdir(tmp_path), "nothing is half written"
