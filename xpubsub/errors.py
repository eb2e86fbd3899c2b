"""The errors that xpubsub raises: `Error`, and one subclass for each kind of cause."""

from __future__ import annotations

from dataclasses import dataclass


class Error(Exception):
    """Base class of every error that xpubsub raises for bad input or a bad environment."""


class LocatedError(Error):
    """An error at a line and column of a subscription or a schema."""

    def __init__(self, message: str, *, code: str, text: str = "", offset: int = 0) -> None:
        self.code = code
        self.reason = message
        self.text = text
        self.offset = offset
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - (text.rfind("\n", 0, offset) + 1) + 1
        super().__init__(message, code, text, offset)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.reason, self.code, self.text, self.offset)

    def __str__(self) -> str:
        head = f"{self.reason} [{self.code}] at line {self.line}, column {self.column}"
        return f"{head}\n{self.caret()}" if self.text else head

    def caret(self) -> str:
        """Return the line of the error, with a caret under its column."""
        line = self.text.split("\n")[self.line - 1].replace("\t", " ")
        start = max(0, self.column - 60)
        return f"  {line[start:start + 100]}\n  {' ' * (self.column - 1 - start)}^"


def _rebuild(cls: type[LocatedError], reason: str, code: str, text: str, offset: int) -> LocatedError:
    return cls(reason, code=code, text=text, offset=offset)


class QuerySyntaxError(LocatedError):
    """The subscription is not a valid expression of its language."""


class UnsupportedError(LocatedError):
    """The subscription is valid, but uses a construct that xpubsub does not support."""


class LimitError(LocatedError):
    """The input exceeds one of the `Limits`."""


class SchemaError(LocatedError):
    """A DTD or an XML schema cannot be read, or uses something that an element graph cannot express."""


@dataclass(frozen=True)
class HeldStore:
    """A store that another process has open."""

    place: str
    """The path of the store, as the user wrote it."""
    file: str
    """The path of the store's file, without symbolic links."""
    holder: str = ""
    """` (PID …)` of the process, or empty."""


class StoreError(Error):
    """The store cannot be opened, migrated, read or changed."""

    held: HeldStore | None = None
    """Set if the store is open in another process."""


class DynamicError(Error):
    """What XQuery raises in one message, with its error code; `publish` reports it in `Result.failed`."""

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(code, reason)


class EngineError(Error):
    """An engine failed to run a step; `step` is the step's name, `sql` its SQL."""

    def __init__(self, message: str, *, step: str = "", sql: str = "") -> None:
        self.step = step
        self.sql = sql
        super().__init__(f"step {step}: {message}" if step else message)


class RowErrors(Error):
    """`subscribe_many` refused some rows, and so added none; `rows` lists each with its number and reason."""

    SHOWN = 20

    def __init__(self, rows: list[dict[str, object]]) -> None:
        self.rows = rows
        super().__init__(rows)

    def __str__(self) -> str:
        lines = [self._line(row) for row in self.rows[: self.SHOWN]]
        more = len(self.rows) - self.SHOWN
        tail = [f"... and {more} more"] if more > 0 else []
        return "\n".join([f"nothing was subscribed: {len(self.rows)} bad row(s)", *lines, *tail])

    def _line(self, row: dict[str, object]) -> str:
        place = f" at line {row['line']}, column {row['column']}" if row.get("line") else ""
        caret = f"\n{row['caret']}" if row.get("caret") else ""
        return f"row {row['row_no']} ({row['subscription_id']}): {row['reason']}{place}{caret}"
