"""`explain`: why a message matches a subscription, or why not."""

from __future__ import annotations

import click

from xpubsub.cli.messages import read_file
from xpubsub.cli.options import engine_options, looked_at, plan_option, store_argument


@click.command()
@store_argument
@click.argument("subscription_id", metavar="ID")
@click.argument("message")
@click.option("--sql", is_flag=True, help="Print the plan and the SQL of each of its steps as well.")
@plan_option
@engine_options
def explain(
    store: str, subscription_id: str, message: str, sql: bool, plan: str, engine: str, master: str | None
) -> None:
    """Say why the file MESSAGE (or - for standard input) matches a subscription, or the first thing that fails.

    \b
    Examples:
      xpubsub explain subs.duckdb s1 tick.xml
      xpubsub explain subs.duckdb s1 tick.xml --sql
    """
    with looked_at(store, engine, master) as broker:
        xml = read_file(message, broker.limits.max_bytes)
        click.echo(str(broker.explain(subscription_id, xml)))
        if sql:
            click.echo(f"\n{broker.explain_sql(plan)}")
