"""Read the MESSAGES argument: files, directories, globs, or `-` for one message per line of standard input."""

from __future__ import annotations

import glob
import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain, islice
from typing import BinaryIO

from xpubsub.cli.containers import contained, is_container
from xpubsub.cli.program import Failure
from xpubsub.cli.received import Refuse, TimedMessage, id_of

STDIN = "-"


def message_paths(arguments: tuple[str, ...]) -> list[str]:
    """List the files that the arguments name, in their order; `-` stays `-`."""
    if arguments.count(STDIN) > 1:
        raise Failure("- is given twice: standard input can be read only once")
    return [path for argument in arguments for path in _expanded(argument)]


def _expanded(argument: str) -> list[str]:
    if argument == STDIN or os.path.isfile(argument):
        return [argument]
    if os.path.isdir(argument):
        return _in_directory(argument)
    found = sorted(glob.glob(argument, recursive=True))
    if not found and not os.path.exists(argument):
        what = "no file matches this pattern" if glob.has_magic(argument) else "no such file or directory"
        raise Failure(f"{argument}: {what}")
    return [path for name in found for path in (_in_directory(name) if os.path.isdir(name) else [name])] or [argument]


def _in_directory(directory: str) -> list[str]:
    """List the *.xml files below a directory, including broken links, and subdirectories that cannot be listed."""
    found: list[str] = []

    def unlisted(error: OSError) -> None:
        if error.filename == directory:
            raise error
        found.append(error.filename)

    for folder, _, names in os.walk(directory, onerror=unlisted):
        paths = [os.path.join(folder, name) for name in names if name.endswith(".xml")]
        found += [path for path in paths if os.path.isfile(path) or not os.path.exists(path)]
    return sorted(found)


def read_paths(
    paths: list[str], max_bytes: int, refuse: Refuse, *, file_times: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Iterator[TimedMessage]:
    """Yield (id, XML, time) of each message; `columns` are names of columns in tables of messages.

    A message longer than `max_bytes` is cut one byte beyond the limit, which is enough to reject it. The time is the
    file's modification time with `file_times`, otherwise None. `refuse` is called for files that cannot be read and for
    repeated files.
    """
    seen: set[str] = set()
    for path in paths:
        if path == STDIN:
            yield from _lines(standard_input(), max_bytes)
        elif path in seen:
            refuse(id_of(path), "duplicate-id", "the file is given twice")
        else:
            seen.add(path)
            messages = (contained(path, max_bytes, refuse, columns or {}) if is_container(path)
                        else _file(path, max_bytes, refuse))
            yield from _at_file_time(path, messages) if file_times else messages


def _at_file_time(path: str, messages: Iterator[TimedMessage]) -> Iterator[TimedMessage]:
    """Give messages without a time that of their file."""
    for message_id, xml, time in messages:
        yield message_id, xml, os.path.getmtime(path) if time is None else time


def _file(path: str, max_bytes: int, refuse: Refuse) -> Iterator[TimedMessage]:
    """Yield the message of a file, or refuse it if the file cannot be read."""
    try:
        message = id_of(path), read_message(path, max_bytes), None
    except OSError as error:
        refuse(id_of(path), "unreadable", unreadable(path, error))
    else:
        yield message


def unreadable(path: str, error: OSError) -> str:
    """Say why a file cannot be read."""
    if os.path.islink(path) and not os.path.exists(path):
        return f"a broken link to {id_of(os.readlink(path))}"
    if os.path.isdir(path):
        return "the directory cannot be listed"
    return error.strerror or str(error)


def read_message(path: str, max_bytes: int) -> bytes:
    """Read one file, or all of standard input for `-`; at most one byte beyond `max_bytes`."""
    if path == STDIN:
        return standard_input().read(max_bytes + 1)
    with open(path, "rb") as file:
        return file.read(max_bytes + 1)


def standard_input() -> BinaryIO:
    """Return standard input, as bytes."""
    if sys.stdin is None:
        raise Failure("-: standard input is closed")
    return sys.stdin.buffer


def _lines(stream: BinaryIO, max_bytes: int) -> Iterator[TimedMessage]:
    """Yield one message per line; a timestamp and a random part make the ids unique to this run."""
    run, number = f"stdin-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{secrets.token_hex(2)}", 0
    while line := stream.readline(max_bytes + 1):
        number += 1
        _skip_rest(stream, line, max_bytes)
        if line.strip():
            yield f"{run}-{number}", line, None


def _skip_rest(stream: BinaryIO, line: bytes, max_bytes: int) -> None:
    while len(line) > max_bytes and not line.endswith(b"\n"):
        line = stream.readline(max_bytes + 1)


def batches(messages: Iterator[TimedMessage], size: int) -> Iterator[Iterator[TimedMessage]]:
    """Yield batches, each to be consumed before the next; one empty batch if there are no messages."""
    head = list(islice(messages, 1))
    while True:
        yield chain(head, islice(messages, size - 1))
        head = list(islice(messages, 1))
        if not head:
            return
