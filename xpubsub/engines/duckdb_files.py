"""Opens the file of a DuckDB store, or says why it cannot be opened."""

from __future__ import annotations

import os
import re
import tempfile
from threading import Lock

import duckdb

from xpubsub.engines.shared import no_store
from xpubsub.errors import HeldStore, StoreError

MEMORY = ":memory:"
_MAGIC = slice(8, 12), b"DUCK"
"""The bytes near the start of every DuckDB database."""
_PID = re.compile(r"\(PID (\d+)\)")
_OPENING = Lock()
"""Held while a file is opened: a thread that finds another at it would be told that the file is attached already."""


def connect_duckdb(path: str, *, read_only: bool, create: bool) -> duckdb.DuckDBPyConnection:
    """Connect to a database that exists, or that may be created."""
    if not path.startswith(MEMORY):
        _check(path, create=create and not read_only)
    connection = _connect(path, read_only)
    if path.startswith(MEMORY) or read_only:
        connection.execute("set temp_directory = ?", [tempfile.gettempdir()])
    connection.execute("set python_scan_all_frames = false")
    connection.execute("set python_enable_replacements = false")
    return connection


def _check(path: str, *, create: bool) -> None:
    """Refuse paths that DuckDB would create or wait for; opening the file here would drop DuckDB's lock on it."""
    if "://" in path:
        raise StoreError(f"{path} is not a file: a store that is not a local file needs Spark (--engine spark)")
    if os.path.isdir(path):
        raise StoreError(f"{path} is a directory: a DuckDB store is a file; a directory needs Spark (--engine spark)")
    if os.path.exists(path) and not os.path.isfile(path):
        raise StoreError(f"{path} is not an xpubsub store: it is not a file")
    if not os.path.exists(path) and not create:
        raise no_store(path)


def _connect(path: str, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        with _OPENING:
            return duckdb.connect(path, read_only=read_only)
    except duckdb.ConnectionException as error:
        if read_only:
            return _connect(path, read_only=False)
        raise StoreError(f"the store {path} is open read-only in this process: close it there first") from error
    except (duckdb.Error, RuntimeError, ValueError) as error:
        raise _refusal(path, str(error), read_only) from error


def _refusal(path: str, reason: str, read_only: bool) -> StoreError:
    """Return the error for a database that could not be opened, with what to do."""
    if "Could not set lock" in reason:
        pid = _PID.search(reason)
        return _held(HeldStore(path, os.path.realpath(path), f" (PID {pid[1]})" if pid else ""))
    if "Permission denied" in reason and not read_only and os.access(path, os.R_OK):
        return StoreError(f"the store {path} cannot be written: permission denied (it can be opened read-only)")
    if _is_no_database(path):
        return StoreError(f"{path} is not an xpubsub store: it is not a DuckDB database")
    return StoreError(f"the store {path!r} cannot be opened: {reason}")


def _held(held: HeldStore) -> StoreError:
    refusal = StoreError(f"the store {held.place} is open in another process{held.holder}: close it there, or wait"
                         " until it ends; several processes can open a store only if all open it read-only")
    refusal.held = held
    return refusal


def _is_no_database(path: str) -> bool:
    """Whether a file that could not be opened is not a DuckDB database."""
    place, magic = _MAGIC
    try:
        with open(path, "rb") as file:
            return file.read(16)[place] != magic
    except (OSError, ValueError):
        return False
