"""The sink `dir:PATH`: a directory with one Parquet or JSON Lines file per batch, and a manifest.

A file appears by a rename when it is complete, under a name that has the batch's number: delivering a batch again
replaces the file by an equal one. Batches without rows have no file. `_manifest.json` names the job and the last batch:
all files up to that batch are there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from xpubsub.errors import Error
from xpubsub.jobs.durable_files import clear_partial, write_durably
from xpubsub.jobs.stream.json_lines import json_lines

PARQUET, JSON_LINES = "parquet", "jsonl"
MANIFEST = "_manifest.json"


class DirectorySink:
    """Writes a file per batch."""

    def __init__(self, directory: str | Path, kind: str = PARQUET) -> None:
        self._directory = Path(directory)
        self._kind = kind
        self._job = ""
        self._last = 0

    def open(self, job: str, schema: pa.Schema) -> None:
        """Create the directory, or check that it belongs to the job."""
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Error(f"dir:{self._directory} cannot be created: {error.strerror or error}") from error
        clear_partial(self._directory)
        self._job, self._last = job, read_manifest(self._directory, job)

    def last(self) -> int:
        """Return the last batch in the manifest."""
        return self._last

    def deliver(self, number: int, rows: pa.Table) -> None:
        """Write the file of a batch, then the manifest."""
        if rows.num_rows:
            write_durably(self._directory / f"batch-{number:012d}.{self._kind}", self._writing(rows))
        write_manifest(self._directory, self._job, number)
        self._last = number

    def _writing(self, rows: pa.Table) -> Callable[[IO[bytes]], object]:
        if self._kind == PARQUET:
            return lambda file: pq.write_table(rows, file, compression="zstd")
        return lambda file: file.writelines(json_lines(rows))

    def close(self) -> None:
        """Do nothing: no file stays open."""


def read_manifest(directory: Path, job: str) -> int:
    """Return the last batch that a job has delivered to a directory; 0 if it is new."""
    try:
        manifest = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return 0
    except ValueError as error:
        raise Error(f"{directory / MANIFEST} is not a manifest: use another directory") from error
    if manifest.get("job") != job:
        raise Error(f"{directory} holds the output of another job: use another directory, or that job's checkpoint")
    return int(manifest["last"])


def write_manifest(directory: Path, job: str, last: int) -> None:
    """Record the last batch that is complete."""
    text = json.dumps({"job": job, "last": last})
    write_durably(directory / MANIFEST, lambda file: file.write(text.encode()))
