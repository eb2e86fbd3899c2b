"""Checks of arguments: a wrong type raises `xpubsub.Error` with a sentence that says what to pass."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xpubsub.errors import Error

_SURROGATE = re.compile("[\ud800-\udfff]")


def is_text(text: str) -> bool:
    """Whether a str can be encoded: it contains no unpaired surrogate."""
    return text.isascii() or not _SURROGATE.search(text)


def check_text(what: str, value: object, *, empty: bool = False) -> str:
    """Return the value if it is text; it must not be empty unless `empty` is true."""
    if not isinstance(value, str):
        raise Error(f"{what} must be a str, not {type(value).__name__}")
    if not value and not empty:
        raise Error(f"{what} is empty")
    if not is_text(value):
        raise Error(f"{what} contains an unpaired surrogate: {value!r}")
    return value


def check_xml(value: object) -> bytes:
    """Return the bytes of a message, which is text or bytes."""
    if isinstance(value, bytes):
        return value
    return check_text("a message", value, empty=True).encode()


def check_namespaces(namespaces: object) -> dict[str, str]:
    """Return the namespaces as a dict of URIs by prefix, empty for None."""
    if namespaces is None:
        return {}
    if not isinstance(namespaces, Mapping):
        raise Error(f"namespaces must map prefixes to URIs, not {type(namespaces).__name__}")
    checked = {
        check_text("a namespace prefix", prefix, empty=True): check_text("a namespace URI", uri, empty=True)
        for prefix, uri in namespaces.items()
    }
    for prefix, uri in checked.items():
        if prefix and not uri:
            raise Error(f"the prefix {prefix!r} has an empty URI: leave out the prefix of names in no namespace")
    return checked


def check_weights(weights: object) -> dict[str, float]:
    """Return weights by path, empty for None: numbers of at least 0."""
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise Error(f"weights must map returned paths to numbers, not {type(weights).__name__}")
    for path, weight in weights.items():
        check_text("a path in weights", path)
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            raise Error(f"the weight of {path} must be a number of at least 0, not {weight!r}")
    return dict(weights)


def check_variables(variables: object) -> dict[str, Any]:
    """Return the values of variables by name, empty for None: strings, numbers, truth values, or lists."""
    if variables is None:
        return {}
    if not isinstance(variables, Mapping):
        raise Error(f"variables must map names to values, not {type(variables).__name__}")
    return {_variable_name(name): _variable_value(name, value) for name, value in variables.items()}


def _variable_name(name: object) -> str:
    return check_text("the name of a variable", name).removeprefix("$")


def _variable_value(name: object, value: object, *, listed: bool = True) -> object:
    if isinstance(value, str):
        return check_text(f"the variable ${name}", value, empty=True)
    if isinstance(value, bool) or (isinstance(value, int | float) and math.isfinite(value)):
        return value
    if listed and isinstance(value, list | tuple):
        return [_variable_value(name, each, listed=False) for each in value]
    shown = repr(value) if isinstance(value, float) else type(value).__name__
    raise Error(f"the variable ${name} must be a str, a number, a bool or a list of these, not {shown}")


def check_iterable(what: str, value: object, kind: str = "an iterable") -> Iterable[Any]:
    """Return the value if it is an iterable other than text; `kind` says in the error what to pass."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise Error(f"{what} must be {kind}, not {type(value).__name__}")
    return value


def check_progress(progress: object) -> Callable[[int], None] | None:
    """Return the progress callback, or None."""
    return check_function("progress", progress)


def check_function(what: str, value: object) -> Callable[..., Any] | None:
    """Return the value if it is a function, or None."""
    if value is not None and not callable(value):
        raise Error(f"{what} must be a function, not {type(value).__name__}")
    return value


def check_count(what: str, value: object) -> int:
    """Return the value if it is a number of things, at least one."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Error(f"{what} must be an int of at least 1, not {value!r}")
    return value
