"""Errors as values that JSON can express, and back as the same errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xpubsub.errors import (
    EngineError,
    Error,
    LimitError,
    LocatedError,
    QuerySyntaxError,
    RowErrors,
    SchemaError,
    StoreError,
    UnsupportedError,
)

_LOCATED: tuple[type[LocatedError], ...] = (QuerySyntaxError, UnsupportedError, LimitError, SchemaError)
_PLAIN: tuple[type[Error], ...] = (StoreError, Error)


def packed_error(error: Exception) -> dict[str, Any]:
    """Return an error as values; one that is not xpubsub's own becomes an `EngineError`."""
    if isinstance(error, LocatedError):
        return _named(error, _LOCATED, message=error.reason, code=error.code, text=error.text, offset=error.offset)
    if isinstance(error, RowErrors):
        return {"type": RowErrors.__name__, "rows": error.rows}
    if isinstance(error, EngineError):
        message = str(error).removeprefix(f"step {error.step}: ")
        return {"type": EngineError.__name__, "message": message, "step": error.step, "sql": error.sql}
    if isinstance(error, Error):
        return _named(error, _PLAIN, message=str(error))
    failed = f"the job that holds the store failed to answer: {type(error).__name__}: {error}"
    return {"type": EngineError.__name__, "message": failed, "step": "", "sql": ""}


def _named(error: Error, kinds: tuple[type[Error], ...], **values: Any) -> dict[str, Any]:
    kind = next((each for each in kinds if isinstance(error, each)), Error)
    return {"type": kind.__name__, **values}


def unpacked_error(values: Mapping[str, Any]) -> Error:
    """Return the error that the values describe."""
    given = dict(values)
    make = _MAKERS.get(str(given.pop("type", "")), Error)
    return make(**given) if make is not Error else Error(str(given.get("message", "the job failed")))


def _plain(message: str) -> StoreError:
    return StoreError(message)


_MAKERS: dict[str, Callable[..., Error]] = {
    **{kind.__name__: kind for kind in _LOCATED},
    "RowErrors": RowErrors, "EngineError": EngineError, "StoreError": _plain,
}
