"""The memory that one publish takes, in a process of its own: prints bytes of the open store and of the peak.

    python -m benchmarks.peak STORE MESSAGES.parquet

The store is open once it has published one message; then it publishes all of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import xpubsub

_CHECKOUT = Path(__file__).resolve().parents[1]
_STATUS = Path("/proc/self/status")
KNOWN = _STATUS.exists()
"""Whether the system keeps the peak: Linux does."""


def publish_memory(store: Path, messages: list[tuple[str, str]]) -> int:
    """The bytes by which a publish exceeds the open store, at its peak; the store must be closed here."""
    ids, texts = zip(*messages, strict=True)
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(pa.table({"id": ids, "xml": texts}), f"{folder}/messages.parquet")
        command = [sys.executable, "-m", "benchmarks.peak", str(store), f"{folder}/messages.parquet"]
        child = subprocess.run(command, cwd=_CHECKOUT, stdout=subprocess.PIPE, check=True)
    memory: dict[str, int] = json.loads(child.stdout)
    return memory["peak"] - memory["open"]


def measure(store: str, messages: list[tuple[str, str]]) -> dict[str, int]:
    """Resident bytes of this process: with the store open, and at the peak."""
    with xpubsub.connect(store) as broker:
        broker.publish(messages[:1])
        opened = status("VmRSS")
        broker.publish(messages)
    return {"open": opened, "peak": status("VmHWM")}


def status(name: str) -> int:
    """A figure that Linux keeps of this process; VmHWM is the peak of VmRSS."""
    lines = _STATUS.read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


def main(store: str, path: str) -> None:
    """Print the figures as JSON."""
    table = pq.read_table(path)
    messages = list(zip(table["id"].to_pylist(), table["xml"].to_pylist(), strict=True))
    del table
    json.dump(measure(store, messages), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
