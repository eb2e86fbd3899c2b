"""Compiles many subscriptions in this process and in helper processes, as many as there are spare cores."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc

from xpubsub.arrow import SplitFunction
from xpubsub.compile.subscriptions import Compiler, CompilerRun
from xpubsub.processes import cores, leave_pandas_out, start

Progress = Callable[[int], None] | None
PROBE = 1_000
"""How many subscriptions this process compiles before it decides about helpers."""
SECONDS_PER_PROCESS = 1.0
"""How long the other subscriptions would take here, for a helper process to be worth starting."""
_CHUNK = 5_000
"""How many subscriptions are compiled before their rows are yielded."""


def compiling(compilers: Sequence[Compiler], progress: Progress) -> SplitFunction:
    """Return a function that compiles rows (row number, id, text, number of the compiler) to the store's rows."""
    return lambda batches: _compiled(CompilerRun(compilers), batches, progress)


def _compiled(
    run: CompilerRun, batches: Iterable[pa.RecordBatch], progress: Progress
) -> Iterator[tuple[str, pa.Table]]:
    for batch in batches:
        for first in range(0, batch.num_rows, _CHUNK):
            part = batch.slice(first, _CHUNK)
            yield from run.tables(zip(*(column.to_pylist() for column in part.columns), strict=True))
            if progress is not None:
                progress(part.num_rows)


def compiling_in_parallel(compilers: Sequence[Compiler], progress: Progress) -> SplitFunction:
    """Like `compiling`, but takes all rows at once and splits them among processes."""
    def compiled(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, pa.Table]]:
        given = list(batches)
        if not given:
            return
        rows, run, started_at = pa.Table.from_batches(given), CompilerRun(compilers), time.perf_counter()
        yield from _compiled(run, rows.slice(0, PROBE).to_batches(), progress)
        rows = rows.slice(PROBE)
        left = (time.perf_counter() - started_at) / PROBE * rows.num_rows
        most = min(cores(), compilers[0].limits.max_processes)
        processes = max(1, min(most, 1 + int(left / SECONDS_PER_PROCESS)))
        size = -(-rows.num_rows // processes) or 1
        own, *others = [rows.slice(first, size) for first in range(0, rows.num_rows or 1, size)]
        with tempfile.TemporaryDirectory(prefix="xpubsub-") as folder:
            started = [_Process(compilers, part, Path(folder) / str(number)) for number, part in enumerate(others)]
            try:
                yield from _compiled(run, own.to_batches(), progress)
                for process in started:
                    yield from process.tables() or compiling(compilers, None)(iter(process.rows.to_batches()))
                    if progress is not None:
                        progress(process.rows.num_rows)
            finally:
                for process in started:
                    process.stop()
    return compiled


class _Process:
    """A helper process that compiles a part of the rows, from file to file."""

    def __init__(self, compilers: Sequence[Compiler], rows: pa.Table, folder: Path) -> None:
        self.rows = rows
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        with suppress(OSError):
            folder.mkdir()
            (folder / "compilers").write_bytes(pickle.dumps(compilers))
            _write(folder / "rows", rows)
            self._process = start(__name__, str(folder))

    def tables(self) -> list[tuple[str, pa.Table]]:
        """Return the compiled rows; if the process failed, they are compiled here."""
        if self._process is None or self._process.wait() != 0:
            return []
        return [(path.stem, _read(path)) for path in sorted(self._folder.glob("*.made"))]

    def stop(self) -> None:
        """Stop the process, so that it does not outlive the call."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def main() -> None:
    """Compile the rows in a folder to files in it, one for each kind of row."""
    leave_pandas_out()
    folder = Path(sys.argv[1])
    compilers: Sequence[Compiler] = pickle.loads((folder / "compilers").read_bytes())
    parts: dict[str, list[pa.Table]] = {}
    for name, table in compiling(compilers, None)(iter(_read(folder / "rows").to_batches())):
        parts.setdefault(name, []).append(table)
    for name, tables in parts.items():
        _write(folder / f"{name}.made", pa.concat_tables(tables))


def _write(path: Path, table: pa.Table) -> None:
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def _read(path: Path) -> pa.Table:
    with ipc.open_file(pa.memory_map(str(path))) as reader:
        return reader.read_all()
