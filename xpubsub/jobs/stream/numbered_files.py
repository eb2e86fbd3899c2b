"""Files of a checkpoint that belong to batches, named by the batch's number; each holds Arrow tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pyarrow as pa

from xpubsub.jobs.durable_files import clear_partial, write_durably

_ENDING = ".arrow"


class NumberedFiles:
    """The files of a directory, one for each batch that needs one."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        clear_partial(directory)

    def numbers(self) -> list[int]:
        """Return the numbers of the batches that have a file, ascending."""
        return sorted(int(path.stem.removeprefix("batch-")) for path in self._directory.glob(f"batch-*{_ENDING}"))

    def write(self, number: int, tables: Sequence[pa.Table]) -> None:
        """Write the tables of a batch; when this returns, they survive a crash."""
        def write(file: IO[bytes]) -> None:
            for table in tables:
                with pa.ipc.new_stream(file, table.schema) as writer:
                    writer.write_table(table)
        write_durably(self._path(number), write)

    def read(self, number: int) -> list[pa.Table]:
        """Return the tables of a batch."""
        tables = []
        with pa.OSFile(str(self._path(number)), "rb") as file:
            while file.tell() < file.size():
                with pa.ipc.open_stream(file) as reader:
                    tables.append(reader.read_all())
        return tables

    def remove(self, number: int) -> None:
        """Delete the file of a batch, if there is one."""
        self._path(number).unlink(missing_ok=True)

    def _path(self, number: int) -> Path:
        return self._directory / f"batch-{number:012d}{_ENDING}"
