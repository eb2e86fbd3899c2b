"""Further Python processes, to use more than one core, and what makes a process start sooner."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO

import pyarrow as pa


def start(module: str, *arguments: str, pipe: bool = False) -> subprocess.Popen[bytes]:
    """Run a module's `main` in another Python process; `pipe` connects its input and output to this process."""
    command = [sys.executable, "-c", f"from {module} import main; main()", *arguments]
    paths = os.pathsep.join(path for path in sys.path if path)
    ends: IO[bytes] | int = subprocess.PIPE if pipe else subprocess.DEVNULL
    return subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": paths}, stdin=ends, stdout=ends, stderr=subprocess.DEVNULL)


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _NoPandas:
    """A finder that finds everything except pandas."""

    @staticmethod
    def find_spec(name: str, path: object, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not needed", name=name)


def leave_pandas_out() -> None:
    """Make the first array while pandas cannot be imported.

    pyarrow imports pandas, if it is installed, to make an array from a list, which takes longer than all other imports.
    Call it in processes of which xpubsub is the only user: pyarrow will not find pandas later either.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _NoPandas)
        try:
            pa.array([0])
        finally:
            sys.meta_path.remove(_NoPandas)
