"""Options that several commands share, and functions that open their store."""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import click

from xpubsub.broker import Broker
from xpubsub.connecting import ENGINES, connect
from xpubsub.limits import Limits
from xpubsub.open_store import DEFAULT_STREAM
from xpubsub.plan.request import AUTO, described
from xpubsub.processes import leave_pandas_out

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

OF_SUBSCRIPTIONS = ("max_expression", "max_nesting", "max_disjuncts", "max_branches", "max_joins")
"""Limits that apply to subscriptions only."""
OF_MESSAGES = (
    "max_bytes", "max_depth", "max_nodes", "max_copied", "max_attributes", "forbid_dtd", "lateness", "max_future",
    "slice_cache",
)
"""Limits that apply to messages only."""

store_argument = click.argument("store")
stream_option = click.option("--stream", default=DEFAULT_STREAM, show_default=True, metavar="NAME",
                             help="The stream that messages are published to and subscriptions read.")
plan_option = click.option(
    "--plan", default=AUTO, show_default=True, metavar="NAMES",
    help=f"How to match; every plan gives the same answers. Separate several by commas. {described().capitalize()}."
)


def _namespaces(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in values:
        prefix, equals, uri = value.partition("=")
        if not equals or not uri:
            raise click.BadParameter(f"{value!r} is not PREFIX=URI", context, option)
        if found.setdefault(prefix, uri) != uri:
            raise click.BadParameter(f"the prefix {prefix!r} is given twice", context, option)
    return found


namespace_option = click.option(
    "--namespace", "namespaces", multiple=True, callback=_namespaces, metavar="PREFIX=URI",
    help="The namespace of a prefix; =URI is for names without one. Can be repeated.")


def _variables(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{value!r} is not NAME=VALUE", context, option)
        if found.setdefault(name.removeprefix("$"), text) != text:
            raise click.BadParameter(f"the variable {name!r} is given twice", context, option)
    return found


def _weights(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for value in values:
        path, _, number = value.rpartition("=")
        try:
            found[path.strip()] = float(number)
        except ValueError:
            path = ""
        if not path.strip():
            raise click.BadParameter(f"{value!r} is not PATH=NUMBER", context, option)
    return found


weight_option = click.option(
    "--weight", "weights", multiple=True, callback=_weights, metavar="PATH=NUMBER",
    help="What a path that a transformation returns is worth under overload, as it is written there; 1 unless given."
         " Can be repeated.")
variable_option = click.option(
    "--variable", "variables", multiple=True, callback=_variables, metavar="NAME=VALUE",
    help="The value of $NAME in filters, a string. Can be repeated.")


def names_of_columns(names: Collection[str]) -> Callable[[click.Context, click.Parameter, str | None], dict[str, str]]:
    """Return the callback that parses `--columns id=name,text=rule`; names can be quoted as in CSV."""
    def parsed(context: click.Context, option: click.Parameter, value: str | None) -> dict[str, str]:
        found: dict[str, str] = {}
        for pair in next(csv.reader([value or ""]), []):
            column, equals, name = pair.strip().partition("=")
            if column not in names or not equals or not name:
                reason = f"{pair!r} is not COLUMN=NAME; the columns are {', '.join(names)}"
                raise click.BadParameter(reason, context, option)
            if found.setdefault(column, name) != name:
                raise click.BadParameter(f"the column {column} is given twice", context, option)
        return found
    return parsed


def engine_options(function: Function) -> Function:
    """Add `--engine` and `--master`, passed as `engine` and `master`."""
    master = click.option("--master", metavar="URL", help="The Spark master, such as local[4]; needs --engine spark.")
    engine = click.option(
        "--engine", type=click.Choice(ENGINES), default=ENGINES[0], show_default=True,
        help="The engine of the store: STORE is a DuckDB file, or a directory for Spark.",
    )
    return engine(master(function))


def limit_options(without: tuple[str, ...]) -> Decorator:
    """Add an option for each limit except those in `without`, passed under the limit's name."""
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for field in reversed(dataclasses.fields(Limits)):
            if field.name not in without:
                function = _limit_option(field)(function)
        return function
    return add


def _limit_option(field: dataclasses.Field[Any]) -> Decorator:
    name = f"--{field.name.replace('_', '-')}"
    text = f"Limit. {field.metadata['meaning']}"
    if isinstance(field.default, bool):
        return click.option(name, field.name, is_flag=True, default=field.default, help=text)
    lowest = 0 if field.default == 0 else 1
    whole = isinstance(field.default, int)
    number = click.IntRange(min=lowest) if whole else click.FloatRange(min=0)
    return click.option(name, field.name, type=number, default=field.default, show_default=True, metavar="N", help=text)


def given_time(text: str) -> float | str:
    """Return a time as the library takes it: a number of seconds, or else the text."""
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def looked_at(store: str, engine: str, master: str | None, **settings: Any) -> Broker:
    """Open an existing store read-only."""
    return created(store, engine, master, create=False, read_only=True, **settings)


def opened(store: str, engine: str, master: str | None, **settings: Any) -> Broker:
    """Open an existing store."""
    return created(store, engine, master, create=False, **settings)


def created(store: str, engine: str, master: str | None, **settings: Any) -> Broker:
    """Open a store, and create it if it does not exist."""
    if engine != "spark":
        if master is not None:
            raise click.UsageError("--master needs --engine spark")
        leave_pandas_out()
    return connect(store, engine, master=master, **settings)
