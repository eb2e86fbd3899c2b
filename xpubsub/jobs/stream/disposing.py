"""What a job does with files that are published: delete them, or move them to another directory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from xpubsub.errors import Error

DELETE = "delete"


def disposing(done: str, directory: Path) -> Callable[[Path, str], None]:
    """Return what to do with a published file of a directory, given its path and its name below the directory."""
    if done == DELETE:
        return lambda path, _: path.unlink()
    target = Path(done)
    _check(target, directory)
    return lambda path, name: _move(path, target / name)


def _check(target: Path, directory: Path) -> None:
    """Create the directory that files are moved to; files must not be read again there, and a move must be a rename."""
    within = target.resolve()
    if within.is_relative_to(root := directory.resolve()):
        hidden = any(part.startswith(".") for part in within.relative_to(root).parts)
        if not hidden:
            raise Error(f"done: {target} is in the directory {directory}, whose files are read: use another directory")
    try:
        target.mkdir(parents=True, exist_ok=True)
        same = target.stat().st_dev == directory.stat().st_dev
    except OSError as error:
        raise Error(f"done: {target} cannot be used: {error.strerror or error}") from error
    if not same:
        raise Error(f"done: {target} is on another disk than {directory}: files can only be renamed")


def _move(path: Path, target: Path) -> None:
    """Move a file; one of that name that is there already is kept, and the new one has its time in the name."""
    if target.exists():
        target = target.with_name(f"{target.name}.{path.stat().st_mtime_ns}")
    target.parent.mkdir(parents=True, exist_ok=True)
    os.rename(path, target)
