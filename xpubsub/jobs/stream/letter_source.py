"""The source of `xpubsub replay`: a directory of dead letters, as the sink `dir:PATH` has written them.

Each letter is an item. Letters without bytes, of files that could not be read and of messages that correlations
published, are left out.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from xpubsub.errors import Error
from xpubsub.jobs.stream.messages import Json, Polled, StreamMessage


class LetterSource:
    """Reads the letters of one stream, file by file."""

    SEEKABLE: ClassVar[bool] = True

    def __init__(self, directory: str | os.PathLike[str], stream: str) -> None:
        self._stream = stream
        self._done: set[str] = set()
        self._files = deque(_files(Path(directory)))
        self._waiting: deque[StreamMessage] = deque()

    @property
    def ended(self) -> bool:
        """Whether all letters were given."""
        return not self._files and not self._waiting

    @property
    def drained(self) -> bool:
        """Whether all letters were given."""
        return self.ended

    def seek(self, position: Json, items: Iterable[str]) -> None:
        """Leave out the letters that were published."""
        self._done.update(items)

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        """Return letters that were not published yet."""
        while self._files and not self._waiting:
            self._waiting.extend(self._letters(self._files.popleft()))
        messages, size = list[StreamMessage](), 0
        while self._waiting and len(messages) < most and size < most_bytes:
            messages.append(self._waiting.popleft())
            size += len(messages[-1].xml)
        return Polled(messages, None, [message.place for message in messages]) if messages else None

    def _letters(self, path: Path) -> Iterator[StreamMessage]:
        now = time.time()
        for number, row in enumerate(read_letters(path), start=1):
            place = f"{path.name}#{number}"
            if row["raw"] is not None and row["stream"] == self._stream and place not in self._done:
                yield StreamMessage(row["message_id"], row["raw"], place, now, row["time"])

    def committed(self, position: Json) -> None:
        """Do nothing: the store has the letters."""

    def backlog(self) -> int:
        """Return how many letters were read that are not published."""
        return len(self._waiting)

    def close(self) -> None:
        """Do nothing: no file stays open."""


def letter_streams(directory: str | os.PathLike[str]) -> list[str]:
    """Return the streams that the letters of a directory were meant for."""
    return sorted({row["stream"] for path in _files(Path(directory)) for row in read_letters(path)
                   if row["raw"] is not None})


def read_letters(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the letters of a file."""
    try:
        if path.suffix == ".parquet":
            yield from pq.read_table(path).to_pylist()
            return
        with path.open(encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                raw = row["raw"]
                yield {**row, "raw": None if raw is None else base64.b64decode(raw)}
    except (ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise Error(f"{path} is not a file of dead letters: {error}") from error


def _files(directory: Path) -> list[Path]:
    if not directory.is_dir():
        raise Error(f"{directory}: there is no such directory of dead letters")
    return sorted(path for path in directory.glob("batch-*") if path.suffix in (".parquet", ".jsonl"))
