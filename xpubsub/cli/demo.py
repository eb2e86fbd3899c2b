"""`xpubsub demo`: subscribe, publish and explain sample data in a temporary store."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import click
from rich.console import Console

from xpubsub.broker import Broker
from xpubsub.cli import sample
from xpubsub.cli.options import created, engine_options
from xpubsub.cli.tally import timing_lines
from xpubsub.cli.terminal import TerminalTable, printable
from xpubsub.jobs.publish.result import Result

FIRST = 10


@click.command()
@engine_options
def demo(engine: str, master: str | None) -> None:
    """Subscribe and publish sample data in a temporary store, and show the matches.

    \b
    Example:
      xpubsub demo
    """
    subscriptions, messages = sample.subscriptions(), sample.messages()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="xpubsub-demo-"))
        broker = stack.enter_context(created(str(Path(folder, "store")), engine, master))
        _subscribe(broker, subscriptions)
        result = _publish(broker, messages)
        _show(result)
        _explain(broker, result, dict(subscriptions), dict(messages))


def _subscribe(broker: Broker, subscriptions: list[tuple[str, str]]) -> None:
    started = time.perf_counter()
    added = broker.subscribe_many(subscriptions)
    click.secho(f"Subscribed {added} XPath filters in {time.perf_counter() - started:.2f} s, for example", bold=True)
    for subscription_id, text in subscriptions[:: len(subscriptions) // 5]:
        click.echo(f"  {subscription_id}  {text}")


def _publish(broker: Broker, messages: list[tuple[str, str]]) -> Result:
    started = time.perf_counter()
    result = broker.publish(messages)
    seconds = time.perf_counter() - started
    click.secho(f"\nPublished {len(messages)} messages in {seconds:.2f} s: {result.notifications.num_rows} matches, "
                f"{result.rejected.num_rows} rejected", bold=True)
    for row in result.rejected.to_pylist():
        click.echo(printable(f"  {row['message_id']} at line {row['line']}, column {row['column']}: {row['reason']}"))
    click.secho("\nWhere the time went", bold=True)
    for line in timing_lines(f"plan {result.choice.plan}: {result.choice.reason}", result.timings):
        click.echo(f"  {line}")
    return result


def _show(result: Result) -> None:
    click.secho(f"\nThe first {FIRST} matches", bold=True)
    ordered = result.notifications.sort_by([("message_id", "ascending"), ("subscription_id", "ascending")])
    table = TerminalTable(ordered.schema, Console())
    table.write(ordered.slice(0, FIRST))
    table.close()


def _explain(broker: Broker, result: Result, subscriptions: dict[str, str], messages: dict[str, str]) -> None:
    """Explain the first match of a subscription whose branches must meet in one node."""
    branching = [row for row in result.notifications.to_pylist() if ".//item[" in subscriptions[row["subscription_id"]]]
    first = min(branching, key=lambda row: (row["message_id"], row["subscription_id"]))
    message_id, subscription_id = first["message_id"], first["subscription_id"]
    click.secho(f"Why {message_id} matches {subscription_id}", bold=True)
    click.echo(f"  {messages[message_id]}")
    click.echo(str(broker.explain(subscription_id, messages[message_id])))
