"""A snapshot of a store as a worker of Spark finds it: a DuckDB file, perhaps with a file of what was added later."""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa
from pyarrow import fs

from xpubsub.arrow import arrow_batches, unpack
from xpubsub.engines.reaching import file_system, reached
from xpubsub.errors import EngineError

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
    gained: str = ""
    """The path of a file with the rows that tables have gained since, if any."""

    @property
    def paths(self) -> set[str]:
        """The files of it."""
        return {self.path, self.gained} - {""}

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

    def gained_rows(self) -> dict[str, pa.Table]:
        """Return the rows that each table has gained since the snapshot was written."""
        if not self.gained:
            return {}
        if "://" not in self.place and not os.path.exists(self.gained):
            raise EngineError(self._lost())
        files = fs.LocalFileSystem() if os.path.exists(self.gained) else None
        with reached(self.place), self._opened(self.gained, files) as source:
            return unpack(pa.Table.from_batches(list(arrow_batches(source.read()))))

    def release(self) -> None:
        """Delete the copy on this machine, unless a lazy frame may need it; who has it open can still read it."""
        if "://" in self.place and not self.lent:
            with suppress(OSError):
                os.remove(self._copy())

    def _copy(self) -> str:
        name = os.path.basename(self.path).removeprefix("snapshot_")
        return os.path.join(tempfile.gettempdir(), f"{_COPY}{name}")

    def _fetch(self, copy: str) -> None:
        partial = f"{copy}.{uuid.uuid4().hex}"
        with reached(self.place), self._opened(self.path) as source, open(partial, "wb") as target:
            while chunk := source.read(1 << 24):
                target.write(chunk)
        os.replace(partial, copy)

    def _opened(self, path: str, files: fs.FileSystem | None = None) -> pa.NativeFile:
        """Open a file of the store's file system, or of another."""
        try:
            return (files or file_system(self.place, self.settings)[0]).open_input_file(path)
        except FileNotFoundError:
            raise EngineError(self._lost()) from None

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
