"""Snapshots of a store for Spark's workers: DuckDB files, written again when subscriptions have changed."""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from xpubsub.engines.parquet import ParquetEngine
from xpubsub.engines.reaching import file_system, reached
from xpubsub.errors import EngineError

_FOLDER = "_snapshots"
_COPY = "xpubsub-snapshot_"
"""How the names of copies on a worker's machine begin."""
_UNUSED = 24 * 3600.0
"""Seconds after which a copy that no worker has opened is deleted."""


@dataclass(frozen=True)
class SnapshotFile:
    """A snapshot, as a worker finds it: a path that all machines see."""

    path: str
    """The path in the file system of the store."""
    place: str
    """The store."""
    size: int
    settings: Mapping[str, str] = field(default_factory=dict, compare=False)
    """How to reach the file system of the store; not needed if it is local."""
    lent: bool = False
    """Whether a lazy frame may need it for as long as the store is open."""

    def local_path(self) -> str:
        """Return a path on this machine; a file of another file system is copied once per machine."""
        if os.path.exists(self.path):
            return self.path
        if "://" not in self.place:
            raise EngineError(self._lost())
        copy = self._copy()
        if not os.path.exists(copy):
            _delete_unused(os.path.dirname(copy))
            self._fetch(copy)
        os.utime(copy)
        return copy

    def release(self) -> None:
        """Delete the copy on this machine, unless a lazy frame may need it; who has it open can still read it."""
        if "://" in self.place and not self.lent:
            with suppress(OSError):
                os.remove(self._copy())

    def _copy(self) -> str:
        name = os.path.basename(self.path).removeprefix("snapshot_")
        return os.path.join(tempfile.gettempdir(), f"{_COPY}{name}")

    def _fetch(self, copy: str) -> None:
        with reached(self.place):
            files, _ = file_system(self.place, self.settings)
            try:
                source = files.open_input_file(self.path)
            except FileNotFoundError:
                raise EngineError(self._lost()) from None
            partial = f"{copy}.{uuid.uuid4().hex}"
            with source, open(partial, "wb") as target:
                while chunk := source.read(1 << 24):
                    target.write(chunk)
        os.replace(partial, copy)

    def _lost(self) -> str:
        return (f"the snapshot {self.path} of the store {self.place} is gone: publish again (a frame is valid until its"
                " broker is closed; workers on other machines need a store on a disk that they share)")


def _delete_unused(folder: str) -> None:
    """Delete the copies that workers have left behind, which nobody has opened for a day."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        with suppress(OSError):
            if name.startswith(_COPY) and time.time() - os.path.getmtime(path) > _UNUSED:
                os.remove(path)


class SnapshotFiles:
    """Writes snapshots of a store: beside the temporary database if workers share this machine, else into the store."""

    def __init__(self, engine: ParquetEngine, settings: Mapping[str, str]) -> None:
        self._engine = engine
        self._settings = settings
        self._current: tuple[tuple[int, bool], SnapshotFile] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._size: tuple[int, int] | None = None
        self._lent: set[str] = set()
        self._written: set[str] = set()

    def current(self, *, shares_disk: bool, lent: bool = False) -> SnapshotFile:
        """Return a snapshot with all changes; `lent` keeps it until the store is closed, for a lazy frame."""
        stamp = self._engine.shared.changes, shares_disk
        if self._current is None or self._current[0] != stamp or self._is_lost():
            self._current = stamp, self._write(shares_disk)
            self._discard({self._current[1].path} | self._lent)
        if lent:
            self._lent.add(self._current[1].path)
        return replace(self._current[1], lent=lent)

    def _is_lost(self) -> bool:
        """Whether somebody has deleted the snapshot that workers open."""
        if self._current is None:
            return False
        (_, shares_disk), snapshot = self._current
        return not (os.path.exists(snapshot.path) if shares_disk else self._engine.files.has(snapshot.path))

    def size(self) -> int:
        """Return the size that a snapshot has, or would have."""
        changes = self._engine.shared.changes
        if self._size is None or self._size[0] != changes:
            self._size = changes, self._engine.size()
        return self._size[1]

    def _write(self, shares_disk: bool) -> SnapshotFile:
        name = f"snapshot_{uuid.uuid4().hex}.duckdb"
        with self._written_locally(name) as local:
            size, path = os.path.getsize(local), local
            if not shares_disk:
                path = self._engine.files.copy_in(local, _FOLDER, name)
                os.remove(local)
        self._written.add(path)
        return SnapshotFile(path, self._engine.place, size, self._settings)

    @contextmanager
    def _written_locally(self, name: str) -> Iterator[str]:
        """Yield the path of a new snapshot on this machine; a part of one is deleted, if the disk is full."""
        path = ""
        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="xpubsub-", ignore_cleanup_errors=True)
            path = os.path.join(self._folder.name, name)
            self._engine.copy_to(path)
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
