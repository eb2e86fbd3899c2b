"""Count and write the results of one `xpubsub publish`, over all its batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import pyarrow as pa

from xpubsub.cli.received import TimedMessage
from xpubsub.cli.terminal import printable
from xpubsub.cli.writers import Writer
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.times import shown_time

REJECTED_COLUMNS = pa.schema([
    ("message_id", pa.string()), ("code", pa.string()), ("reason", pa.string()),
    ("line", pa.int64()), ("column", pa.int64()),
])
FAILED_COLUMNS = pa.schema([
    ("message_id", pa.string()), ("subscription_id", pa.string()), ("code", pa.string()), ("reason", pa.string()),
])
_ORDER = [("message_id", "ascending"), ("subscription_id", "ascending")]


class Tally:
    """Counts messages, passes rows to their writers, and reports at the end."""

    SHOWN = 20

    def __init__(self) -> None:
        self.messages = 0
        self.notified = 0
        self.rejected = self.failed = 0
        self._timings: dict[str, float] = {}
        self._plan = ""
        self._tokens = self._held = 0
        self._shown: list[str] = []
        self._replaced: list[str] = []
        self.replaced = 0
        self._notifications: tuple[Writer, pa.Schema] | None = None
        self._rejects: tuple[Writer, pa.Schema] | None = None
        self._failures: tuple[Writer, pa.Schema] | None = None
        self._shown_failures: list[str] = []
        self._refused: list[dict[str, str]] = []

    def notifications_to(self, writer: Writer, schema: pa.Schema) -> None:
        """Write notifications to `writer`."""
        self._notifications = (writer, schema)

    def rejects_to(self, writer: Writer, schema: pa.Schema) -> None:
        """Write rejected messages to `writer`, instead of listing the first of them in the report."""
        self._rejects = (writer, schema)

    def failures_to(self, writer: Writer, schema: pa.Schema) -> None:
        """Write what failed to `writer`, instead of listing the first of it in the report."""
        self._failures = (writer, schema)

    def counted(self, batch: Iterator[TimedMessage]) -> Iterator[TimedMessage]:
        """Count the messages of a batch as they are read."""
        for message in batch:
            self.messages += 1
            yield message

    def refuse(self, message_id: str, code: str, reason: str) -> None:
        """Record a message that is rejected before it is read."""
        self.messages += 1
        self._refused.append({"message_id": message_id, "code": code, "reason": reason})

    def add(self, result: Result) -> None:
        """Add the result of a batch, and the messages refused before it."""
        self.take_refused()
        self._reject(result.rejected)
        self._fail(result.failed)
        self.notified += result.notifications.num_rows
        _write(self._notifications, result.notifications.sort_by(_ORDER))
        self.replaced += result.replaced.num_rows
        room = self.SHOWN - len(self._replaced)
        self._replaced += [_replacement(row) for row in result.replaced.slice(0, room).to_pylist()]
        self._plan = f"plan {result.choice.plan}: {result.choice.reason}"
        self._tokens += result.tokens
        self._held += result.tokens_held
        for name, seconds in result.timings.items():
            self._timings[name] = self._timings.get(name, 0.0) + seconds

    def take_refused(self) -> None:
        """Add the messages that were rejected before they were read."""
        refused, self._refused = self._refused, []
        if refused:
            self._reject(pa.Table.from_pylist(refused, REJECTED_COLUMNS))

    def _reject(self, rejected: pa.Table) -> None:
        self.rejected += rejected.num_rows
        _write(self._rejects, rejected)
        if self._rejects is None:
            room = self.SHOWN - len(self._shown)
            self._shown += [_refusal(row) for row in rejected.slice(0, room).to_pylist()]

    def _fail(self, failed: pa.Table) -> None:
        self.failed += failed.num_rows
        _write(self._failures, failed.sort_by(_ORDER))
        if self._failures is None:
            room = self.SHOWN - len(self._shown_failures)
            self._shown_failures += [_failure(row) for row in failed.slice(0, room).to_pylist()]

    def report(self, *, timings: bool) -> None:
        """Print rejected and replaced messages, failed queries, timings and counts on stderr."""
        for line in self._shown:
            click.echo(line, err=True)
        if self._shown and self.rejected > len(self._shown):
            more = self.rejected - len(self._shown)
            click.echo(f"... and {more} more: use --rejects FILE to see them all", err=True)
        for line in self._shown_failures:
            click.echo(line, err=True)
        if self._shown_failures and self.failed > len(self._shown_failures):
            more = self.failed - len(self._shown_failures)
            click.echo(f"... and {more} more failed: use --failed FILE to see them all", err=True)
        for line in self._replaced:
            click.echo(line, err=True)
        if self.replaced > len(self._replaced):
            click.echo(f"... and {self.replaced - len(self._replaced)} more were replaced", err=True)
        for line in timing_lines(self._plan, self._timings) if timings else []:
            click.echo(line, err=True)
        if self._tokens:
            average = f"{self._held / self._tokens:.2f} tokens buffered on average"
            click.echo(f"{self._tokens} tokens in units, {average}", err=True)
        click.echo(counted(self.messages, self.notified, self.rejected, self.failed), err=True)


def counted(messages: int, notifications: int, rejected: int, failed: int) -> str:
    """Return the line of counts at the end of a command."""
    return f"{messages} messages, {notifications} notifications, {rejected} rejected{failures(failed)}"


def failures(failed: int) -> str:
    """Return how many queries failed in a message; empty if none did."""
    return f", {failed} failed" if failed else ""


def timing_lines(plan: str, timings: dict[str, float]) -> list[str]:
    """Format the plan and the time of each step."""
    return [plan, *(f"{seconds:9.4f} s  {name}" for name, seconds in timings.items())]


def _write(target: tuple[Writer, pa.Schema] | None, table: pa.Table) -> None:
    if target is not None:
        writer, schema = target
        writer.write(table.select(schema.names).cast(schema))


def _replacement(row: dict[str, Any]) -> str:
    earlier = f"stream {row['stream']} kept it with time {shown_time(row['time'])}"
    return printable(f"replaced {row['message_id']}: {earlier}")


def _failure(row: dict[str, object]) -> str:
    return printable(f"{row['subscription_id']} failed in {row['message_id']}: {row['reason']} [{row['code']}]")


def _refusal(row: dict[str, object]) -> str:
    place = f":{row['line']}" if row["line"] is not None else ""
    column = f":{row['column']}" if row["column"] is not None else ""
    return printable(f"rejected {row['message_id']}{place}{column}: {row['reason']} [{row['code']}]")
