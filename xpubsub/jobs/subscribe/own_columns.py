"""Checks the columns in which rows give their own namespaces, dialect, stream and so on, each distinct value once."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from xpubsub.checks import check_namespaces, check_text, check_variables, check_weights
from xpubsub.errors import Error
from xpubsub.language.durations import seconds_of
from xpubsub.language.xpath.parser import DIALECTS
from xpubsub.language.xpath1.variables import VariableValue


class OwnColumn(NamedTuple):
    """The values of a column as the store keeps them, null where a row gives none, and why some are wrong."""

    texts: pa.Array
    reasons: pa.Array


def own_column(column: str, values: Sequence[Any] | pa.Array) -> OwnColumn:
    """Check the values of a column."""
    distinct, places = _distinct(_mappings(values) if isinstance(values, pa.Array) else values)
    answers = [_answer(column, each) for each in distinct]
    return OwnColumn(*(pa.array(each, pa.string()).take(places) for each in (
        [text for text, _ in answers], [reason for _, reason in answers])))


def namespaces_text(namespaces: Mapping[str, str]) -> str:
    """Return namespaces as the store keeps them: equal namespaces have equal texts."""
    return json.dumps(namespaces, sort_keys=True)


def variables_text(variables: Mapping[str, VariableValue]) -> str:
    """Return variables as the store keeps them: equal variables have equal texts, none are empty."""
    return json.dumps(variables, sort_keys=True) if variables else ""


def weights_text(weights: Mapping[str, float]) -> str:
    """Return weights as the store keeps them: equal weights have equal texts, none are empty."""
    return json.dumps({path: float(weight) for path, weight in weights.items()}, sort_keys=True) if weights else ""


def check_dialect(dialect: object) -> str:
    """Check the name of a dialect."""
    if dialect not in DIALECTS:
        raise Error(f"unknown dialect {dialect!r}: use one of {', '.join(DIALECTS)}")
    return str(dialect)


def check_delay(delay: object) -> str:
    """Check a longest delay, such as `5s`; return it as the store keeps it."""
    text = check_text("max_delay", delay)
    seconds_of(text)
    return "".join(text.split())


def check_partial(partial: object) -> str:
    """Check whether a subscriber wants parts of outputs; return it as the store keeps it: empty, or `false`."""
    given = str(partial).lower()
    if given not in ("true", "false"):
        raise Error(f"partial must be True or False, not {partial!r}")
    return "" if given == "true" else given


class _Pairs(list[tuple[Any, Any]]):
    """Pairs of prefix and URI; a prefix may be given twice."""


def _mappings(values: pa.Array) -> Sequence[Any] | pa.Array:
    """Turn Arrow's maps and structs into pairs, without a struct's null fields."""
    if pa.types.is_map(values.type):
        return [each if each is None else _Pairs(each) for each in values.to_pylist()]
    if pa.types.is_struct(values.type):
        return [each if each is None else _Pairs((name, uri) for name, uri in each.items() if uri is not None)
                for each in values.to_pylist()]
    return values.to_pylist() if pa.types.is_nested(values.type) else values.cast(pa.string())


def _distinct(values: Sequence[Any] | pa.Array) -> tuple[list[Any], pa.Array]:
    """Return the distinct values, and for each row the index of its value."""
    if isinstance(values, pa.Array):
        encoded = values.dictionary_encode()
        return encoded.dictionary.to_pylist(), encoded.indices
    keys = [each if isinstance(each, str) else (type(each), repr(each)) for each in values]
    distinct = dict(zip(keys, values, strict=True))
    places = {key: place for place, key in enumerate(distinct)}
    return list(distinct.values()), pa.array([places[key] for key in keys], pa.int64())


def _answer(column: str, value: object) -> tuple[str | None, str | None]:
    """Return a value as the store keeps it, or what is wrong with it."""
    if value is None or (isinstance(value, str) and not value) or (isinstance(value, float) and math.isnan(value)):
        return None, None
    try:
        return _CHECKS[column](value), None
    except Error as error:
        return None, f"column {column}: {error}"


def _namespaces(value: object) -> str:
    if isinstance(value, _Pairs):
        value = _once(value)
    return namespaces_text(check_namespaces(_json(value) if isinstance(value, str) else value))


def _json(text: str, what: str = "namespaces") -> object:
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (json.JSONDecodeError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Error(f"{what} must be a map or a JSON object such as {_EXAMPLES[what]}, not {text[:100]!r}")
    return found


def _once(pairs: list[tuple[Any, Any]], what: str = "a prefix") -> dict[Any, Any]:
    """Turn pairs into a dict; raises an error if a name is given twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Error(f"{what} is given twice")
    return found


def _stream(value: object) -> str:
    return check_text("a stream's name", value)


def _variables(value: object) -> str:
    if isinstance(value, _Pairs):
        value = _once(value, "a variable")
    return variables_text(check_variables(_json(value, "variables") if isinstance(value, str) else value))


def _weights(value: object) -> str:
    if isinstance(value, _Pairs):
        value = _once(value, "a path")
    return weights_text(check_weights(_json(value, "weights") if isinstance(value, str) else value))


_EXAMPLES = {"namespaces": '{"p": "urn:x"}', "variables": '{"x": "5"}', "weights": '{"$a/price": 10}'}
_CHECKS = {"namespaces": _namespaces, "dialect": check_dialect, "stream": _stream, "max_delay": check_delay,
           "variables": _variables, "partial": check_partial, "weights": _weights}
