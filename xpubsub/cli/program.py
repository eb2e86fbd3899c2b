"""The group of all commands; turns errors into messages and exit codes."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from xpubsub import __version__
from xpubsub.cli.streams import CLOSED_PIPE, discard, open_missing, piped
from xpubsub.errors import Error

COMMANDS = {
    "init": "store_commands", "subscribe": "store_commands", "unsubscribe": "store_commands",
    "publish": "publish_command", "complete": "spill_commands", "merge": "spill_commands", "stream": "stream_command",
    "replay": "replay_command", "explain": "explain_command", "list": "inspect_commands", "show": "inspect_commands",
    "stats": "inspect_commands", "clock": "clock_command", "schema": "schema_command",
    "reference": "reference_command", "gc": "inspect_commands", "demo": "demo",
}
"""The module of each command, in the order of a first session: to import them all takes longer than most commands."""
DUCKDB_INTERRUPTED = "Query interrupted"
"""The text of the RuntimeError that DuckDB raises when Ctrl-C interrupts a query."""


class Failure(click.ClickException):
    """Wrong usage or bad input; ends the command with a message on stderr and no traceback."""

    exit_code = 2


class Interrupted(click.ClickException):
    """The user interrupted the command."""

    exit_code = 130


class Program(click.Group):
    """A click group that imports a command when it is used, and exits with code 2 on errors of the library."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order of a first session, not alphabetically."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command, and return the command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"xpubsub.cli.{COMMANDS[cmd_name]}")
        return next(each for each in vars(module).values() if isinstance(each, click.Command) and each.name == cmd_name)

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the command line and exit."""
        open_missing()
        try:
            return super().main(*arguments, **options)
        except OSError as error:
            discard()
            raise SystemExit(CLOSED_PIPE if error.errno == errno.EPIPE else Failure.exit_code) from None

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Parse the command line, and print help if requested."""
        with piped():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            with piped():
                return super().invoke(ctx)
        except Error as error:
            raise Failure(str(error)) from error
        except OSError as error:
            if error.filename is None and error.errno == errno.ENOSPC:
                _drop_output()
            raise Failure(_os_message(error)) from error
        except (KeyboardInterrupt, RuntimeError) as error:
            if isinstance(error, RuntimeError) and str(error) != DUCKDB_INTERRUPTED:
                raise
            raise Interrupted("interrupted") from error


def _drop_output() -> None:
    """Redirect standard output to the null device, so that a full disk does not fail again at exit."""
    with suppress(OSError, ValueError, AttributeError), open(os.devnull, "wb") as null:
        os.dup2(null.fileno(), sys.stdout.fileno())


def _os_message(error: OSError) -> str:
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{error.filename}: {error.strerror}"


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def program() -> None:
    """Match XML messages with stored subscriptions, using SQL on DuckDB or Spark.

    Subscriptions are XPath filters, XQuery transformations, or correlations that join messages.

    \b
    A first session:
      xpubsub init subs.duckdb
      xpubsub subscribe subs.duckdb --id s1 "/stock[symbol='YHOO']/price > 50"
      xpubsub publish subs.duckdb ticks/*.xml

    Exit codes: 0 success; 1 success, but some messages were rejected; 2 wrong usage, bad input, or another failure;
    130 interrupted; 141 the reader of a pipe closed it.
    """
