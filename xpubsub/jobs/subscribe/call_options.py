"""The options of a `subscribe` call. Rows may override them; rows with the same options share a numbered form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.checks import check_namespaces, check_text, check_variables, check_weights
from xpubsub.compile.subscriptions import Compiler
from xpubsub.jobs.subscribe.columns import OWN
from xpubsub.jobs.subscribe.own_columns import (
    check_delay,
    check_dialect,
    check_partial,
    namespaces_text,
    variables_text,
    weights_text,
)
from xpubsub.language.xpath1.variables import VariableValue
from xpubsub.limits import Limits


@dataclass(frozen=True)
class CallOptions:
    """The namespaces, dialect, stream and so on of a call, for rows that do not give their own."""

    namespaces: dict[str, str]
    dialect: str
    stream: str
    max_delay: str = ""
    """Empty for none."""
    variables: dict[str, VariableValue] = field(default_factory=dict)
    strict: bool = False
    """Whether filters that are not indexed are refused; it holds for all rows."""
    partial: str = ""
    """`false` if the subscriber wants no parts of outputs, else empty."""
    weights: dict[str, float] = field(default_factory=dict)

    def row(self) -> dict[str, str]:
        """Return the options as the store keeps them."""
        return {"dialect": self.dialect, "namespaces": namespaces_text(self.namespaces), "stream": self.stream,
                "max_delay": self.max_delay, "variables": variables_text(self.variables), "partial": self.partial,
                "weights": weights_text(self.weights)}


def call_options(
    namespaces: Mapping[str, str] | None, dialect: str, stream: str, max_delay: str | None = None,
    variables: Mapping[str, VariableValue] | None = None, strict: bool = False, partial: bool = True,
    weights: Mapping[str, float] | None = None,
) -> CallOptions:
    """Check and return the options of a call."""
    named = check_text("a stream's name", stream)
    delay = "" if max_delay is None else check_delay(max_delay)
    return CallOptions(
        check_namespaces(namespaces), check_dialect(dialect), named, delay, check_variables(variables), bool(strict),
        check_partial(partial), check_weights(weights))


@dataclass(frozen=True)
class Formed:
    """Rows (row_no, subscription_id, text, form_no), and forms (form_no and the columns of `OWN`)."""

    rows: pa.Table
    forms: pa.Table
    strict: bool = False

    def compilers(self, limits: Limits) -> tuple[list[Compiler], pa.Table]:
        """Return the compilers, and rows (row_no, subscription_id, text, compiler_no) sorted by compiler and row.

        Forms that differ only in the stream share a compiler.
        """
        columns = (self.forms[name].to_pylist() for name in ("namespaces", "dialect", "variables", "weights"))
        keys = list(zip(*columns, strict=True))
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        of_forms = pa.array([numbers[key] for key in keys], pa.int64())
        made = [
            Compiler(json.loads(namespaces), dialect, limits, json.loads(variables or "{}"), self.strict,
                     json.loads(weights or "{}"))
            for namespaces, dialect, variables, weights in numbers]
        rows = self.rows.drop_columns(["form_no"]).append_column("compiler_no", of_forms.take(self.rows["form_no"]))
        if len(made) > 1:
            rows = rows.sort_by([("compiler_no", "ascending"), ("row_no", "ascending")])
        return made, rows


def formed(rows: pa.Table, options: CallOptions) -> Formed:
    """Give each row the number of its form: its own options, and those of the call where it has none."""
    own = [name for name in OWN if name in rows.column_names]
    plain = rows.drop_columns(own)
    if not own or not rows.num_rows:
        numbers = pa.repeat(pa.scalar(0, pa.int64()), rows.num_rows)
        only = pa.table({"dialect": [options.dialect]})
        return Formed(plain.append_column("form_no", numbers), _forms(only, options), options.strict)
    filled = pa.table({name: pc.fill_null(rows[name], options.row()[name]) for name in own})
    numbers, first = _numbered(filled)
    return Formed(plain.append_column("form_no", numbers), _forms(filled.take(first), options), options.strict)


def _numbered(table: pa.Table) -> tuple[pa.Array, pa.Array]:
    """Number the distinct rows of a table of texts; returns the number of each row, and the first row of each."""
    numbers = pa.repeat(pa.scalar(0, pa.int64()), table.num_rows)
    for column in table.columns:
        encoded = column.combine_chunks().dictionary_encode()
        both = pc.add(pc.multiply(numbers, len(encoded.dictionary)), encoded.indices.cast(pa.int64()))
        numbers = both.dictionary_encode().indices.cast(pa.int64())
    places = pa.table({"number": numbers, "place": pa.array(range(table.num_rows), pa.int64())})
    first = places.group_by("number").aggregate([("place", "min")]).sort_by("number")
    return numbers, first["place_min"].combine_chunks()


def _forms(given: pa.Table, options: CallOptions) -> pa.Table:
    """Complete the forms: columns that no row gives come from the call."""
    columns = {
        name: given[name] if name in given.column_names else pa.repeat(value, given.num_rows)
        for name, value in options.row().items()
    }
    return pa.table({"form_no": pa.array(range(given.num_rows), pa.int64()), **columns})
