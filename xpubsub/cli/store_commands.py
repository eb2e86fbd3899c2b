"""`xpubsub init`, `subscribe` and `unsubscribe`: create a store, add and remove subscriptions."""

from __future__ import annotations

from typing import Any

import click

from xpubsub.cli.options import (
    OF_MESSAGES,
    created,
    engine_options,
    limit_options,
    names_of_columns,
    namespace_option,
    opened,
    store_argument,
    stream_option,
    variable_option,
    weight_option,
)
from xpubsub.cli.subscription_file import SubscriptionFile
from xpubsub.cli.warned import warn
from xpubsub.jobs.subscribe.columns import NAMES
from xpubsub.language.xpath.parser import DIALECTS
from xpubsub.limits import Limits
from xpubsub.store.migrations import script


@click.command()
@store_argument
@click.option("--print-sql", is_flag=True, help="Print the SQL that creates the tables, and change nothing.")
@click.option("--slots", type=click.IntRange(1, 8), help="Predicates per row of predicate_unroll; fixed once created.")
@engine_options
def init(store: str, print_sql: bool, slots: int | None, engine: str, master: str | None) -> None:
    """Create a store, or migrate an older one.

    \b
    Example:
      xpubsub init subs.duckdb
    """
    if print_sql:
        click.echo(script(engine))
        return
    with created(store, engine, master, slots=slots) as broker:
        for migration in broker.migrated:
            click.echo(f"applied {migration.version:04d}_{migration.name}")
    click.echo(f"{store} is ready")


@click.command()
@store_argument
@click.argument("text", required=False)
@click.option("--id", "subscription_id", metavar="ID", help="Add one subscription, TEXT, with this id.")
@click.option("--from", "file", metavar="FILE", help="Add subscriptions from a .csv, .tsv, .jsonl or .parquet file.")
@click.option("--columns", callback=names_of_columns(NAMES), metavar="COLUMN=NAME,...",
              help="Names of columns in FILE, if other than above: id=name,text=rule.")
@click.option("--no-header", is_flag=True, help="The .csv or .tsv FILE has no header; its columns are id and text.")
@click.option("--dialect", type=click.Choice(DIALECTS), default=DIALECTS[0], show_default=True,
              help="The grammar of filters.")
@namespace_option
@stream_option
@click.option("--max-delay", metavar="TIME",
              help="For `xpubsub stream`: the longest accepted delay of notifications, such as 500ms, 5s or 1h.")
@variable_option
@click.option("--strict", is_flag=True, help="Refuse filters that SQL cannot decide alone.")
@click.option("--partial/--no-partial", default=True,
              help="Whether outputs may come in parts while elements of messages are spilled.  [default: partial]")
@weight_option
@limit_options(without=OF_MESSAGES)
@engine_options
def subscribe(
    store: str, text: str | None, subscription_id: str | None, file: str | None, columns: dict[str, str],
    no_header: bool, dialect: str, namespaces: dict[str, str], stream: str, max_delay: str | None,
    variables: dict[str, str], strict: bool, partial: bool, weights: dict[str, float], engine: str,
    master: str | None, **limits: Any,
) -> None:
    """Add one subscription, or all subscriptions of a file. A file with a bad row adds none.

    A file needs the columns id (or subscription_id) and text (or xpath, expression, query). It can also have the
    columns namespaces, variables and weights (each a map, or JSON), dialect, stream, max_delay and partial; where a row
    leaves them empty, the options apply. Other columns are ignored. `xpubsub list --output` writes such a file.

    Likely mistakes, such as a condition that can never be true, are printed as warnings on standard error.

    \b
    Examples:
      xpubsub subscribe subs.duckdb --id s1 "/stock[symbol='YHOO']/price > 50"
      xpubsub subscribe subs.duckdb --from subscriptions.csv
      xpubsub subscribe subs.duckdb --from rules.csv --columns id=name,text=rule
      xpubsub subscribe subs.duckdb --id f1 "//f:trade" --namespace f=http://www.fpml.org/FpML-5
      xpubsub subscribe subs.duckdb --id p5 '//price > $limit' --variable limit=5
      xpubsub subscribe subs.duckdb --id o 'for $o in //order return ($o/price, $o/note)' --weight '$o/price=10'
    """
    form: dict[str, Any] = {
        "namespaces": namespaces, "dialect": dialect, "stream": stream, "max_delay": max_delay,
        "variables": variables, "strict": strict, "partial": partial, "weights": weights}
    _check_usage(text, subscription_id, file)
    if file is None and (columns or no_header):
        raise click.UsageError("--columns and --no-header need --from FILE")
    given = None if file is None else SubscriptionFile(file, columns, no_header)
    with created(store, engine, master, limits=Limits(**limits)) as broker:
        if given is not None:
            given.subscribe(broker, form)
        elif text is not None and subscription_id is not None:
            warn(broker.subscribe(subscription_id, text, **form))
            click.echo(f"subscribed {subscription_id}")


def _check_usage(text: str | None, subscription_id: str | None, file: str | None) -> None:
    one = text is not None and subscription_id is not None
    if one == (file is not None) or (file is not None and (text is not None or subscription_id is not None)):
        raise click.UsageError("give one subscription as --id ID TEXT, or many as --from FILE")


@click.command()
@store_argument
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@engine_options
def unsubscribe(store: str, ids: tuple[str, ...], engine: str, master: str | None) -> None:
    """Remove subscriptions. Unknown ids are reported, but are no error.

    \b
    Example:
      xpubsub unsubscribe subs.duckdb s1 s2
    """
    with opened(store, engine, master) as broker:
        removed = set(broker.unsubscribe(ids))
    for each in dict.fromkeys(ids):
        if each in removed:
            click.echo(f"unsubscribed {each}")
        else:
            click.echo(f"note: there is no subscription {each}", err=True)
