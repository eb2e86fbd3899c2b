"""Snapshots of a store for Spark's workers: DuckDB files, written again when subscriptions have changed.

A large one is not written again for each change: a small file beside it has the rows that tables have gained since.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from xpubsub.arrow import PACKED, arrow_bytes, pack
from xpubsub.engines.parquet import ParquetEngine
from xpubsub.errors import EngineError
from xpubsub.jobs.publish.snapshot_file import SnapshotFile
from xpubsub.store.gc import STATE

LARGE, MOST_GAINED = 32_000_000, 0.05
"""From what size on a snapshot is not written again at once, and the share of rows gained at which it is."""
_FOLDER = "_snapshots"


class SnapshotFiles:
    """Writes snapshots of a store: beside the temporary database if workers share this machine, else into the store."""

    def __init__(self, engine: ParquetEngine, settings: Mapping[str, str]) -> None:
        self._engine = engine
        self._settings = settings
        self._current: tuple[tuple[int, bool], SnapshotFile] | None = None
        self._included: dict[str, frozenset[str]] = {}
        """The files of tables whose rows are in the current snapshot, without those gained since."""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._size: tuple[int, int] | None = None
        self._lent: set[str] = set()
        self._written: set[str] = set()

    def current(self, *, shares_disk: bool, lent: bool = False) -> SnapshotFile:
        """Return a snapshot with all changes; `lent` keeps it until the store is closed, for a lazy frame."""
        stamp = self._engine.shared.changes, shares_disk
        if self._current is None or self._current[0] != stamp or self._is_lost():
            self._current = stamp, self._extended(shares_disk) or self._write(shares_disk)
            self._discard(self._current[1].paths | self._lent)
        if lent:
            self._lent |= self._current[1].paths
        return replace(self._current[1], lent=lent)

    def _is_lost(self) -> bool:
        """Whether somebody has deleted the snapshot that workers open."""
        if self._current is None:
            return False
        (_, shares_disk), snapshot = self._current
        has = os.path.exists if shares_disk else self._engine.files.has
        return not all(map(has, snapshot.paths))

    def size(self) -> int:
        """Return the size that a snapshot has, or would have."""
        changes = self._engine.shared.changes
        if self._size is None or self._size[0] != changes:
            self._size = changes, self._engine.size()
        return self._size[1]

    def _write(self, shares_disk: bool) -> SnapshotFile:
        path, size = self._written_file("snapshot", ".duckdb", shares_disk, self._engine.copy_to)
        self._included = self._engine.table_files()
        return SnapshotFile(path, self._engine.place, size, self._settings)

    def _extended(self, shares_disk: bool) -> SnapshotFile | None:
        """Return the current snapshot with what tables have gained since; None if a new one should be written."""
        if self._current is None or self._current[0][1] != shares_disk or self._is_lost():
            return None
        snapshot = self._current[1]
        rows = self._engine.gained(self._included, STATE) if snapshot.size >= LARGE else None
        if rows is None or sum(table.nbytes for table in rows.values()) > MOST_GAINED * snapshot.size:
            return None
        packed = pa.Table.from_batches([part for name, table in rows.items() for part in pack(name, table)], PACKED)

        def write(path: str) -> None:
            Path(path).write_bytes(arrow_bytes(packed))
        return replace(snapshot, gained=self._written_file("gained", ".arrow", shares_disk, write)[0])

    def _written_file(
        self, kind: str, ending: str, shares_disk: bool, write: Callable[[str], None]
    ) -> tuple[str, int]:
        """Write a new file where workers find it, and return its path and size."""
        name = f"{kind}_{uuid.uuid4().hex}{ending}"
        with self._written_locally(name, write) as local:
            size, path = os.path.getsize(local), local
            if not shares_disk:
                path = self._engine.files.copy_in(local, _FOLDER, name)
                os.remove(local)
        self._written.add(path)
        return path, size

    @contextmanager
    def _written_locally(self, name: str, write: Callable[[str], None]) -> Iterator[str]:
        """Yield the path of a new file on this machine; a part of one is deleted, if the disk is full."""
        path = ""
        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="xpubsub-", ignore_cleanup_errors=True)
            path = os.path.join(self._folder.name, name)
            write(path)
            yield path
        except OSError as error:
            with suppress(OSError):
                os.remove(path)
            raise EngineError(f"a snapshot of {self.size():,} bytes for the workers cannot be written to"
                              f" {tempfile.gettempdir()}: {error}; set TMPDIR to a directory with room") from error

    def _discard(self, kept: set[str]) -> None:
        for path in self._written - kept:
            if _FOLDER in path:
                self._engine.files.delete(path)
            else:
                with suppress(OSError):
                    os.remove(path)
        self._written &= kept

    def close(self) -> None:
        """Delete all snapshots."""
        self._discard(set())
        if self._folder is not None:
            self._folder.cleanup()
