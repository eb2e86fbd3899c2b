"""Further Python processes, to use more than one core."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO


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
