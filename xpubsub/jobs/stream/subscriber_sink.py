"""The sink `each:PATH`: a directory with a JSON Lines file for each subscription, to which its rows are appended.

Before a batch is appended, `_intent.json` records the length of each file that grows. A batch that is delivered again
is written over itself from there, so that each file has each row once, and a reader never sees a row change.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.errors import Error
from xpubsub.jobs.durable_files import clear_partial, naming, sync_directory, write_durably
from xpubsub.jobs.stream.directory_sink import read_manifest, write_manifest
from xpubsub.jobs.stream.json_lines import json_lines
from xpubsub.rows import LETTERS

_INTENT = "_intent.json"
_ENDING = ".jsonl"
_LONGEST = 200
"""Bytes of an escaped name from which on the end is replaced by a digest."""


class SubscriberSink:
    """Appends the rows of a batch to the files of their subscriptions."""

    def __init__(self, directory: str | Path) -> None:
        self._directory = Path(directory)
        self._job = ""
        self._last = 0

    def open(self, job: str, schema: pa.Schema) -> None:
        """Create the directory, or check that it belongs to the job."""
        if schema == LETTERS:
            raise Error(f"each:{self._directory}: dead letters have no subscription: use dir:PATH for them")
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Error(f"each:{self._directory} cannot be created: {error.strerror or error}") from error
        clear_partial(self._directory)
        self._job, self._last = job, read_manifest(self._directory, job)

    def last(self) -> int:
        """Return the last batch in the manifest."""
        return self._last

    def deliver(self, number: int, rows: pa.Table) -> None:
        """Append the rows, then write the manifest."""
        ordered = rows.append_column("place", pa.array(range(rows.num_rows), pa.int64())).sort_by(
            [("subscription_id", "ascending"), ("place", "ascending")]).drop_columns(["place"])
        names = ordered["subscription_id"].combine_chunks()
        starts = _starts(names)
        lengths = self._intended(number, [subscriber_file(names[start].as_py()) for start, _ in starts])
        for (start, end), (name, length) in zip(starts, lengths.items(), strict=True):
            self._write(name, length, b"".join(json_lines(ordered.slice(start, end - start))))
        if starts:
            sync_directory(self._directory)
        write_manifest(self._directory, self._job, number)
        self._last = number

    def _intended(self, number: int, names: list[str]) -> dict[str, int]:
        """Return the length of each file before the batch, as recorded at the first attempt to deliver it."""
        path = self._directory / _INTENT
        if path.exists():
            intent = json.loads(path.read_text(encoding="utf-8"))
            if intent["batch"] == number:
                return dict(intent["lengths"])
        lengths = {name: _length(self._directory / name) for name in names}
        text = json.dumps({"batch": number, "lengths": lengths})
        write_durably(path, lambda file: file.write(text.encode()))
        return lengths

    def _write(self, name: str, length: int, data: bytes) -> None:
        handle = os.open(self._directory / name, os.O_WRONLY | os.O_CREAT, 0o666)
        with naming(self._directory / name), os.fdopen(handle, "wb") as file:
            file.seek(length)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def close(self) -> None:
        """Do nothing: no file stays open."""


def _starts(names: pa.Array) -> list[tuple[int, int]]:
    """Return where the rows of each name begin and end, in a sorted column."""
    return list(pairwise([0, *pc.run_end_encode(names).run_ends.to_pylist()]))


def _length(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def subscriber_file(subscription_id: str) -> str:
    """Return the file of a subscription: its id, with all but letters, digits, `-`, `_` and `.` escaped as %XX.

    A first character other than a letter or digit is escaped too. No two ids have the same file.
    """
    name = quote(subscription_id, safe="").replace("~", "%7E")
    if name.startswith((".", "_", "-")):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name) > _LONGEST:
        name = f"{name[:100]}~{sha256(subscription_id.encode()).hexdigest()[:32]}"
    return name + _ENDING
