"""MESSAGES on the command line: files, directories, globs, or `-` with one message per line."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from xpubsub.cli.program import Failure

STDIN = "-"
Message = tuple[str, bytes, float | None]


def message_paths(arguments: tuple[str, ...]) -> list[str]:
    """The files that the arguments name, in their order; `-` stays as it is."""
    if arguments.count(STDIN) > 1:
        raise Failure("- is given twice: there is one standard input")
    return [path for argument in arguments for path in _expanded(argument)]


def _expanded(argument: str) -> list[str]:
    if argument == STDIN or os.path.isfile(argument):
        return [argument]
    if os.path.isdir(argument):
        return _in_directory(argument)
    found = sorted(glob.glob(argument, recursive=True))
    if not found and not os.path.exists(argument):
        what = "no file matches it" if glob.has_magic(argument) else "no such file or directory"
        raise Failure(f"{argument}: {what}")
    return [path for name in found for path in (_in_directory(name) if os.path.isdir(name) else [name])] or [argument]


def _in_directory(directory: str) -> list[str]:
    return sorted(str(path) for path in Path(directory).rglob("*.xml") if path.is_file())


def read_messages(paths: list[str], max_bytes: int, *, file_times: bool = False) -> Iterator[Message]:
    """(id, XML, time) of each message; of a message beyond the limit, no more than it takes to refuse it.

    The time is that of the file's last change, if asked for, or none.
    """
    for path in paths:
        if path == STDIN:
            yield from _lines(sys.stdin.buffer, max_bytes)
        else:
            yield _id_of(path), read_file(path, max_bytes), os.path.getmtime(path) if file_times else None


def _id_of(path: str) -> str:
    """The path as text: bytes of a name that are no UTF-8 are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def read_file(path: str, max_bytes: int) -> bytes:
    """One file, or the whole of standard input for `-`."""
    if path == STDIN:
        return sys.stdin.buffer.read(max_bytes + 1)
    with open(path, "rb") as file:
        return file.read(max_bytes + 1)


def _lines(stream: BinaryIO, max_bytes: int) -> Iterator[Message]:
    number = 0
    while line := stream.readline(max_bytes + 1):
        number += 1
        _skip_rest(stream, line, max_bytes)
        if line.strip():
            yield f"line-{number}", line, None


def _skip_rest(stream: BinaryIO, line: bytes, max_bytes: int) -> None:
    while len(line) > max_bytes and not line.endswith(b"\n"):
        line = stream.readline(max_bytes + 1)


def batches(messages: Iterator[Message], size: int) -> Iterator[Iterator[Message]]:
    """Cut into batches, each to be used up before the next; one empty batch if there is nothing."""
    head = list(islice(messages, 1))
    while True:
        yield chain(head, islice(messages, size - 1))
        head = list(islice(messages, 1))
        if not head:
            return
