"""`schema`: what messages may look like, registered, listed and removed."""

from __future__ import annotations

import click
import pyarrow as pa

from xpubsub.broker import Broker
from xpubsub.cli.options import engine_options, looked_at, opened, store_argument
from xpubsub.cli.output import table_output


@click.command()
@store_argument
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--name", default="", help="Register, or remove, under this name; the schemas of all names count.")
@click.option("--remove", is_flag=True, help="Remove the schema with this name.")
@engine_options
def schema(store: str, files: tuple[str, ...], name: str, remove: bool, engine: str, master: str | None) -> None:
    """Register a DTD or an XML schema of the messages; without FILE, list what is registered.

    A schema never changes which subscriptions match, nor what they give: messages that do not conform are matched
    without it. It tells which elements may stand in which, so that nodes which cannot be found twice need not be made
    distinct, nor sorted if they come in order, and that `//` between two elements is one way, if it is.

    Files of an XML schema that import or include each other are given together; nothing else is read. A DTD is one
    file, or the DOCTYPE of a document, which also tells the root. A schema of the same name is replaced.

    \b
    Examples:
      xpubsub schema subs.duckdb book.dtd
      xpubsub schema subs.duckdb order.xsd types.xsd --name orders
      xpubsub schema subs.duckdb
      xpubsub schema subs.duckdb --remove --name orders
    """
    if files and remove:
        raise click.UsageError("give FILEs to register, or --remove")
    open_store = opened if files or remove else looked_at
    with open_store(store, engine, master) as broker:
        if files:
            _register(broker, files, name)
        elif remove:
            _remove(broker, name)
        else:
            _list(broker)


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


def _list(broker: Broker) -> None:
    schemas = broker.schemas()
    table = pa.table({
        "name": pa.array(schemas, pa.string()),
        "elements": pa.array([len(schema.elements) for schema in schemas.values()], pa.int64()),
        "recursive_elements": pa.array([len(schema.recursive()) for schema in schemas.values()], pa.int64()),
    })
    with table_output(None, table.schema) as writer:
        writer.write(table)
