"""A streaming job in another process, for tests: started over directories, and stopped or killed by its process id."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0


class StreamingJob:
    """A job over `STORE`, with the directories `in` and `out` beside it."""

    def __init__(self, store: Path) -> None:
        self.store, self.inbox, self.outbox = store, store.parent / "in", store.parent / "out"
        self.socket = Path(f"{store}.sock")
        self.inbox.mkdir(exist_ok=True)
        self._before = self.socket.lstat().st_ino if self.socket.exists() else None
        command = [sys.executable, "-m", "xpubsub", "stream", str(store), "--source", f"dir:{self.inbox}", "--sink",
                   f"dir:{self.outbox}", "--format", "jsonl"]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        waited(self._is_there)

    def _is_there(self) -> bool:
        assert self.process.poll() is None, "the job ended"
        return self.socket.exists() and self.socket.lstat().st_ino != self._before

    def publish(self, name: str, xml: str) -> None:
        """Give the job a message, and wait until its batch is delivered."""
        last = self._last()
        (self.inbox / f".{name}").write_text(xml)
        os.rename(self.inbox / f".{name}", self.inbox / f"{name}.xml")
        waited(lambda: self._last() > last)

    def _last(self) -> int:
        manifest = self.outbox / "_manifest.json"
        return int(json.loads(manifest.read_text())["last"]) if manifest.exists() else 0

    def notified(self) -> set[tuple[str, str]]:
        """Return what was delivered: message and subscription."""
        rows = [json.loads(line) for file in self.outbox.glob("*.jsonl") for line in file.read_text().splitlines()]
        return {(row["message_id"].removesuffix(".xml"), row["subscription_id"]) for row in rows}

    def stop(self) -> int:
        """End the job in order, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """End the job at once."""
        self.process.kill()
        self.process.wait()


def waited(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)
