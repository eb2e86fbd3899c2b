"""Ends of a process that tests play, at a call of some function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Crash(BaseException):
    """Stands for the end of the process."""


def crashing(function: Callable[..., Any], call: int, *, after: bool = False) -> Callable[..., Any]:
    """Wrap a function so that one of its calls ends the process, before or after it is carried out."""
    calls = iter(range(1, 10_000))

    def crash(*arguments: Any, **options: Any) -> Any:
        ends = next(calls) == call
        if ends and not after:
            raise Crash
        result = function(*arguments, **options)
        if ends:
            raise Crash
        return result

    return crash
