"""The errors that leave the package: one base, one class per kind of cause."""

from __future__ import annotations


class Error(Exception):
    """Base of every error that xpubsub raises on bad input or a bad environment."""


class LocatedError(Error):
    """An error at a place in a text: a subscription's, or a schema's."""

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
        """The offending line of the text with a caret under the offending column."""
        line = self.text.split("\n")[self.line - 1].replace("\t", " ")
        start = max(0, self.column - 60)
        return f"  {line[start:start + 100]}\n  {' ' * (self.column - 1 - start)}^"


def _rebuild(cls: type[LocatedError], reason: str, code: str, text: str, offset: int) -> LocatedError:
    return cls(reason, code=code, text=text, offset=offset)


class QuerySyntaxError(LocatedError):
    """The text is not an expression of the language."""


class UnsupportedError(LocatedError):
    """The text is an expression, but uses a construct that xpubsub refuses."""


class LimitError(LocatedError):
    """The input is larger, deeper or wider than a limit allows."""


class SchemaError(LocatedError):
    """A DTD or an XML schema cannot be read, or says more than an element graph can."""


class StoreError(Error):
    """The store cannot be opened, migrated, read or changed as asked."""


class EngineError(Error):
    """An engine failed to run a step; carries the step's name and its SQL."""

    def __init__(self, message: str, *, step: str = "", sql: str = "") -> None:
        self.step = step
        self.sql = sql
        super().__init__(f"step {step}: {message}" if step else message)


class RowErrors(Error):
    """Some rows of a call were refused, and so the whole call; `rows` names each with its number and reason."""

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
