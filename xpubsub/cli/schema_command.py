"""`xpubsub schema`: register, list and remove schemas of messages."""

from __future__ import annotations

import click
import pyarrow as pa

from xpubsub.broker import Broker
from xpubsub.cli.options import engine_options, looked_at, opened, store_argument
from xpubsub.cli.output import json_option, table_output


@click.command()
@store_argument
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--name", default="", help="The name of the schema; schemas with different names are used together.")
@click.option("--remove", is_flag=True, help="Remove the schema named by --name.")
@json_option
@engine_options
def schema(
    store: str, files: tuple[str, ...], name: str, remove: bool, as_json: bool, engine: str, master: str | None
) -> None:
    """Register a DTD or XML Schema that describes the messages. Without FILE, list the registered schemas.

    A schema can make transformations faster: it shows where nodes cannot be duplicate or out of order, and where `//`
    can only mean one path. It never changes results; messages that do not conform are matched without it.

    Give all files of an XML Schema that import or include each other; no other files are read. A DTD is one file, or
    the DOCTYPE of a document, which also names the root element. A schema with the same name is replaced.

    \b
    Examples:
      xpubsub schema subs.duckdb book.dtd
      xpubsub schema subs.duckdb order.xsd types.xsd --name orders
      xpubsub schema subs.duckdb
      xpubsub schema subs.duckdb --remove --name orders
    """
    if files and remove:
        raise click.UsageError("give files to register, or --remove, not both")
    open_store = opened if files or remove else looked_at
    with open_store(store, engine, master) as broker:
        if files:
            _register(broker, files, name)
        elif remove:
            _remove(broker, name)
        else:
            _list(broker, as_json)


def _register(broker: Broker, files: tuple[str, ...], name: str) -> None:
    schema = broker.schema(files, name=name)
    if schema is not None:
        recursive = len(schema.recursive())
        click.echo(f"registered the schema {name!r}: {len(schema.elements)} elements, {recursive} of them recursive")


def _remove(broker: Broker, name: str) -> None:
    if broker.schema(None, name=name) is None:
        click.echo(f"note: there is no schema {name!r}", err=True)
    else:
        click.echo(f"removed the schema {name!r}")


def _list(broker: Broker, as_json: bool) -> None:
    schemas = broker.schemas()
    table = pa.table({
        "name": pa.array(schemas, pa.string()),
        "elements": pa.array([len(schema.elements) for schema in schemas.values()], pa.int64()),
        "recursive_elements": pa.array([len(schema.recursive()) for schema in schemas.values()], pa.int64()),
    })
    with table_output(None, table.schema, as_json=as_json) as writer:
        writer.write(table)
