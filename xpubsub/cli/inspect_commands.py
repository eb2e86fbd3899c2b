"""`xpubsub list`, `show`, `stats` and `gc`: look into a store, and free unused space."""

from __future__ import annotations

import dataclasses
import json

import click
import pyarrow as pa

from xpubsub.cli.options import engine_options, looked_at, opened, store_argument
from xpubsub.cli.output import check_ending, json_option, output_option, table_output
from xpubsub.jobs.publish.times import shown_time
from xpubsub.jobs.stream.delays import ANY


@click.command("list")
@store_argument
@output_option
@json_option
@engine_options
def list_(store: str, output: str | None, as_json: bool, engine: str, master: str | None) -> None:
    """List all subscriptions.

    `xpubsub subscribe --from` reads the file that --output writes.

    \b
    Examples:
      xpubsub list subs.duckdb
      xpubsub list subs.duckdb --output subscriptions.jsonl
    """
    check_ending(output)
    with looked_at(store, engine, master) as broker:
        _write(broker.list(), output, as_json)


@click.command()
@store_argument
@click.argument("subscription_id", metavar="ID")
@json_option
@engine_options
def show(store: str, subscription_id: str, as_json: bool, engine: str, master: str | None) -> None:
    """Show one subscription and the queries it is stored as.

    \b
    Example:
      xpubsub show subs.duckdb s1
    """
    with looked_at(store, engine, master) as broker:
        shown = broker.show(subscription_id)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(shown), ensure_ascii=False))
        return
    click.echo(f"{shown.subscription_id}: {shown.kind} on stream {shown.stream}, dialect {shown.dialect}")
    click.echo(f"text   {shown.text}")
    if shown.kind == "filter":
        click.echo(f"way    {shown.way}")
    if shown.candidates and shown.seconds is not None:
        each = shown.seconds / shown.candidates
        click.echo(f"cost   {shown.candidates:,} candidates, {shown.seconds:.3g} s of lxml, {1e6 * each:.3g} µs each")
    if shown.max_delay is not None:
        click.echo(f"delay  at most {shown.max_delay}")
    if not shown.partial:
        click.echo("parts  none: outputs come whole")
    for path, weight in shown.weights.items():
        click.echo(f"weight {path}={weight:g}")
    for prefix, uri in shown.namespaces.items():
        click.echo(f"prefix {prefix}={uri}")
    for name, value in shown.variables.items():
        click.echo(f"value  ${name}={value}")
    for query in shown.queries:
        click.echo(f"query  {query}")


@click.command()
@store_argument
@json_option
@engine_options
def stats(store: str, as_json: bool, engine: str, master: str | None) -> None:
    """Show how much the store holds: subscriptions, messages kept for correlations, the clocks of streams, and the
    delays that streaming jobs have achieved.

    \b
    Example:
      xpubsub stats subs.duckdb
    """
    with looked_at(store, engine, master) as broker:
        counts, clocks, delays = broker.stats(), broker.clocks(), broker.delays()
    if as_json:
        click.echo(json.dumps({**counts, "clocks": clocks, "delays": delays}, ensure_ascii=False))
        return
    amounts = {name: str(amount) for name, amount in counts.items()}
    amounts |= {f"clock of {stream}": shown_time(clock) for stream, clock in clocks.items()}
    amounts |= {f"delay, {_class(name)} (p50, p99)": f"{half:.3g} s, {most:.3g} s"
                for name, (half, most) in delays.items()}
    _write(pa.table({"name": pa.array(amounts.keys()), "amount": pa.array(amounts.values(), pa.string())}))


@click.command()
@store_argument
@json_option
@engine_options
def gc(store: str, as_json: bool, engine: str, master: str | None) -> None:
    """Delete rows that no subscription needs any more, and print how many per table.

    \b
    Example:
      xpubsub gc subs.duckdb
    """
    with opened(store, engine, master) as broker:
        _write(_amounts("table", broker.gc()), None, as_json)


def _class(name: str) -> str:
    """Describe subscriptions by the delay they accept."""
    return "no max_delay" if name == ANY else f"max_delay {name} s"


def _amounts(what: str, amounts: dict[str, int]) -> pa.Table:
    return pa.table({what: pa.array(amounts.keys(), pa.string()), "rows": pa.array(amounts.values(), pa.int64())})


def _write(table: pa.Table, target: str | None = None, as_json: bool = False) -> None:
    with table_output(target, table.schema, as_json=as_json) as writer:
        writer.write(table)
