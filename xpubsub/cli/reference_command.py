"""`xpubsub reference`: give, list and remove reference data."""

from __future__ import annotations

import click
import pyarrow as pa

from xpubsub.cli.options import engine_options, looked_at, namespace_option, opened, store_argument
from xpubsub.cli.output import table_output

ADD, LIST, REMOVE = "add", "list", "remove"
_COLUMNS = pa.schema([
    ("name", pa.string()), ("key", pa.string()), ("on", pa.string()), ("columns", pa.string()), ("rows", pa.int64()),
])


@click.command()
@store_argument
@click.argument("action", type=click.Choice([ADD, LIST, REMOVE]))
@click.argument("name", required=False)
@click.argument("file", required=False)
@click.option("--key", metavar="PATH",
              help="The path of elements, or of an attribute, whose values are keys, such as //cac:Party/cbc:ID.")
@click.option("--on", metavar="COLUMN", help="The column of FILE that has the keys.")
@namespace_option
@engine_options
def reference(
    store: str, action: str, name: str | None, file: str | None, key: str | None, on: str | None,
    namespaces: dict[str, str], engine: str, master: str | None,
) -> None:
    """Join messages with reference data: add NAME FILE, list, or remove NAME.

    FILE is .parquet, .csv, .tsv or .jsonl, with one row for each key. Each node that PATH selects has the columns of
    the row with its value as attributes @ref:COLUMN, in filters and transformations. Data with the same name is
    replaced as a whole; a batch sees the old data or the new.

    \b
    Examples:
      xpubsub reference subs.duckdb add supplier suppliers.csv --key //party/id --on party_id
      xpubsub subscribe subs.duckdb --id s1 "//party/id[@ref:risk = 'high']"
      xpubsub reference subs.duckdb list
      xpubsub reference subs.duckdb remove supplier
    """
    _check(action, name, file, key, on)
    open_store = looked_at if action == LIST else opened
    with open_store(store, engine, master) as broker:
        if action == LIST:
            rows = [{"name": each.name, "key": each.key, "on": each.on, "columns": ",".join(each.columns),
                     "rows": each.rows} for each in broker.references()]
            with table_output(None, _COLUMNS) as writer:
                writer.write(pa.Table.from_pylist(rows, _COLUMNS))
        elif action == REMOVE:
            there = any(each.name == name for each in broker.references())
            broker.reference(str(name), None)
            click.echo(f"removed {name!r}" if there else f"note: there is no reference data {name!r}", err=not there)
        else:
            stored = broker.reference(str(name), file, key=str(key), on=str(on), namespaces=namespaces)
            assert stored is not None
            columns = ", ".join(f"@ref:{each}" for each in stored.columns)
            click.echo(f"stored {stored.rows} rows of {name!r} with {columns}")


def _check(action: str, name: str | None, file: str | None, key: str | None, on: str | None) -> None:
    if action == ADD and not (name and file and key and on):
        raise click.UsageError("add needs NAME FILE --key PATH --on COLUMN")
    if action == REMOVE and (not name or file):
        raise click.UsageError("remove needs NAME")
    if action == LIST and name:
        raise click.UsageError("list needs nothing more")
