"""`init`, `subscribe` and `unsubscribe`: what changes a store."""

from __future__ import annotations

from typing import Any

import click

from xpubsub.broker import Broker
from xpubsub.cli.options import (
    OF_MESSAGES,
    created,
    engine_options,
    limit_options,
    opened,
    store_argument,
    stream_option,
)
from xpubsub.cli.places import located
from xpubsub.cli.progress import counting
from xpubsub.errors import RowErrors
from xpubsub.language.xpath import DIALECTS
from xpubsub.limits import Limits
from xpubsub.store.migrations import script


@click.command()
@store_argument
@click.option("--print-sql", is_flag=True, help="Print the statements that create the tables, and change nothing.")
@click.option("--slots", type=click.IntRange(1, 8), help="Predicates per row of the unroll plan; fixed from then on.")
@engine_options
def init(store: str, print_sql: bool, slots: int | None, engine: str, master: str | None) -> None:
    """Create a store, or bring it up to date.

    \b
    Example:
      xpubsub init subs.duckdb
    """
    if print_sql:
        click.echo(script(engine))
        return
    with created(store, engine, master, slots=slots) as broker:
        for migration in broker.store.migrated:
            click.echo(f"applied {migration.version:04d}_{migration.name}")
    click.echo(f"{store} is ready")


def _namespaces(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in values:
        prefix, equals, uri = value.partition("=")
        if not equals or not uri:
            raise click.BadParameter(f"{value!r} is not PREFIX=URI", context, option)
        if found.setdefault(prefix, uri) != uri:
            raise click.BadParameter(f"the prefix {prefix!r} is given twice", context, option)
    return found


@click.command()
@store_argument
@click.argument("text", required=False)
@click.option("--id", "subscription_id", metavar="ID", help="The id of one subscription, given as TEXT.")
@click.option("--from", "file", metavar="FILE", help="Many: .csv, .tsv, .jsonl or .parquet with an id and a text.")
@click.option("--dialect", type=click.Choice(DIALECTS), default=DIALECTS[0], show_default=True, help="The grammar.")
@click.option("--namespace", "namespaces", multiple=True, callback=_namespaces, metavar="PREFIX=URI",
              help="What a prefix in TEXT means; =URI for names without one. May be repeated.")
@stream_option
@limit_options(without=OF_MESSAGES)
@engine_options
def subscribe(
    store: str, text: str | None, subscription_id: str | None, file: str | None, dialect: str,
    namespaces: dict[str, str], stream: str, engine: str, master: str | None, **limits: Any,
) -> None:
    """Add one subscription, or all of a file; of a file with a mistake, none.

    \b
    Examples:
      xpubsub subscribe subs.duckdb --id s1 "/stock[symbol='YHOO']/price > 50"
      xpubsub subscribe subs.duckdb --from subscriptions.csv
      xpubsub subscribe subs.duckdb --id f1 "//f:trade" --namespace f=http://www.fpml.org/FpML-5
    """
    form: dict[str, Any] = {"namespaces": namespaces, "dialect": dialect, "stream": stream}
    _check_usage(text, subscription_id, file)
    with created(store, engine, master, limits=Limits(**limits)) as broker:
        if file is not None:
            _subscribe_file(broker, file, form)
        elif text is not None and subscription_id is not None:
            broker.subscribe(subscription_id, text, **form)
            click.echo(f"subscribed {subscription_id}")


def _check_usage(text: str | None, subscription_id: str | None, file: str | None) -> None:
    one = text is not None and subscription_id is not None
    if one == (file is not None) or (file is not None and (text is not None or subscription_id is not None)):
        raise click.UsageError("give one subscription as --id ID TEXT, or many as --from FILE")


def _subscribe_file(broker: Broker, file: str, form: dict[str, Any]) -> None:
    try:
        with counting("subscribing") as progress:
            added = broker.subscribe_many(file, progress=progress, **form)
    except RowErrors as error:
        raise located(error, file) from error
    click.echo(f"subscribed {added} from {file}")


@click.command()
@store_argument
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@engine_options
def unsubscribe(store: str, ids: tuple[str, ...], engine: str, master: str | None) -> None:
    """Remove subscriptions; an id that is not there is only noted.

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
