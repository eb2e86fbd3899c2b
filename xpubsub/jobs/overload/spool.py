"""The files of spilled messages: Parquet in a folder beside the store, with a checksum per message."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq
from xxhash import xxh3_64_intdigest

from xpubsub.errors import StoreError
from xpubsub.jobs.durable_files import clear_partial, write_durably
from xpubsub.jobs.locking import lock_directory
from xpubsub.shred.messages import Message

_ENDING = ".parquet"
_ROWS = pa.schema([
    ("message_id", pa.string()), ("text", pa.bool_()), ("xml", pa.large_binary()), ("checksum", pa.uint64()),
])
"""A message as it was published; `text` if it was a str."""


_BESIDE = "the folder belongs beside the store; copy or move both"
_RESTORE = "restore the file from a copy: until then its messages wait"


class SpoolError(StoreError):
    """Messages could not be written to disk; they are not accepted."""


class Spool:
    """The folder of a store's spilled messages; a temporary one if the store is in memory."""

    def __init__(self, store_file: str | None, *, locked: bool = False) -> None:
        self._temporary = None if store_file else tempfile.TemporaryDirectory(prefix="xpubsub-spill-")
        self._folder = Path(f"{store_file}.spill" if self._temporary is None else self._temporary.name)
        self._lock = self._locked() if locked else None

    def close(self) -> None:
        """Delete the folder if it is temporary; release it for other processes."""
        if self._temporary is not None:
            self._temporary.cleanup()
        if self._lock is not None:
            self._lock.close()

    def _locked(self) -> IO[bytes]:
        """Lock the folder, for a store that several processes may have open."""
        try:
            self._folder.mkdir(exist_ok=True)
            lock = lock_directory(self._folder)
        except OSError as error:
            raise SpoolError(f"messages cannot be spilled to {self._folder}: {error.strerror or error}") from error
        if lock is None:
            raise StoreError(f"another broker spills or completes messages in {self._folder}: close it first")
        return lock

    def write(self, messages: Sequence[Message], owner: str = "") -> tuple[str, int]:
        """Write messages into a new file that survives a crash; return its name and its size."""
        name = f"{owner}-{uuid.uuid4().hex}{_ENDING}" if owner else f"{uuid.uuid4().hex}{_ENDING}"
        try:
            self._folder.mkdir(exist_ok=True)
            write_durably(self._folder / name, lambda file: write_messages(messages, file))
            return name, (self._folder / name).stat().st_size
        except OSError as error:
            self.remove(name)
            raise SpoolError(f"messages cannot be spilled to {self._folder}: {error.strerror or error}") from error

    def read(self, name: str) -> list[tuple[str, str | bytes]]:
        """Return the messages of a file: ids and XML."""
        path = self._folder / name
        try:
            rows = pq.read_table(path, schema=_ROWS).to_pylist()
        except FileNotFoundError as error:
            raise StoreError(f"the spilled messages in {path} are missing: {_BESIDE}") from error
        except (OSError, pa.ArrowException) as error:
            raise StoreError(f"the spilled messages in {path} cannot be read: {error}; {_RESTORE}") from error
        for row in rows:
            if _checksum(row["message_id"], row["xml"]) != row["checksum"]:
                reason = f"the checksum of message {row['message_id']!r} is wrong"
                raise StoreError(f"{path} is damaged: {reason}; {_RESTORE}")
        return [(row["message_id"], row["xml"].decode() if row["text"] else row["xml"]) for row in rows]

    def remove(self, name: str) -> None:
        """Delete a file, if it exists."""
        for path in (self._folder / name, self._folder / f".{name}.partial"):
            try:
                path.unlink(missing_ok=True)
            except OSError:
                continue

    def sweep(self, pending: Collection[str]) -> None:
        """Delete the files that the store does not list, which a crash has left, and the folder if it is empty."""
        if not self._folder.is_dir():
            return
        clear_partial(self._folder)
        for path in self._folder.glob(f"*{_ENDING}"):
            if path.name not in pending:
                self.remove(path.name)
        if self._temporary is None and not os.listdir(self._folder):
            self._folder.rmdir()


def write_messages(messages: Sequence[Message], file: IO[bytes]) -> None:
    """Write messages as Parquet."""
    rows = []
    for _, message_id, xml in messages:
        assert isinstance(xml, str | bytes)
        data = xml.encode() if isinstance(xml, str) else xml
        rows.append({"message_id": message_id, "text": isinstance(xml, str), "xml": data,
                     "checksum": _checksum(message_id, data)})
    pq.write_table(pa.Table.from_pylist(rows, schema=_ROWS), file, compression="zstd")


def _checksum(message_id: str, data: bytes) -> int:
    return int(xxh3_64_intdigest(message_id.encode() + b"\0" + data))
