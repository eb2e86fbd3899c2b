"""The checkpoint of a streaming job: a directory with the job's id, and files of batches that are under way.

- `job.json`: the id of the job, by which the store knows what it has committed.
- `outbox/`: the results of batches that are committed but perhaps not delivered.
- `journal/`: messages of a source that cannot seek, until they are committed.
- `lock`: held while a process runs the job.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import IO

from xpubsub.errors import Error
from xpubsub.jobs.durable_files import clear_partial, write_durably
from xpubsub.jobs.locking import lock_directory
from xpubsub.jobs.stream.numbered_files import NumberedFiles

_JOB = "job.json"


class Checkpoint:
    """An open checkpoint, which no other process can open."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(directory)
        except OSError as error:
            raise Error(f"the checkpoint {directory} cannot be used: {error.strerror or error}") from error
        clear_partial(directory)
        self.outbox = NumberedFiles(directory / "outbox")
        self.journal = NumberedFiles(directory / "journal")

    def job(self) -> str | None:
        """Return the id of the job; None if the checkpoint is new."""
        try:
            text = (self.directory / _JOB).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        try:
            return str(json.loads(text)["job"])
        except (ValueError, KeyError, TypeError) as error:
            raise Error(f"{self.directory / _JOB} is not the file of a job: use another checkpoint") from error

    def create(self, job: str) -> None:
        """Record the id of a new job."""
        write_durably(self.directory / _JOB, lambda file: file.write(json.dumps({"job": job}).encode()))

    def close(self) -> None:
        """Release the checkpoint for other processes."""
        self._lock.close()


def new_job() -> str:
    """Return the id of a new job."""
    return uuid.uuid4().hex


def _locked(directory: Path) -> IO[bytes]:
    lock = lock_directory(directory)
    if lock is None:
        raise Error(f"another process runs the job of the checkpoint {directory}: stop it first, or use another"
                    " checkpoint")
    return lock
