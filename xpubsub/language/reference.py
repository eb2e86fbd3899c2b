"""Reference data in subscriptions: `@ref:column`, an attribute that a node has from a reference table."""

from __future__ import annotations

import re
from collections.abc import Iterable

from xpubsub.errors import UnsupportedError
from xpubsub.language.xpath.linear import COMPUTED, REFERENCE_NAMESPACE

_COLUMN = re.compile(rf"@\{{{REFERENCE_NAMESPACE}\}}([^/{{}}]+)")
_MARK = f"@{{{REFERENCE_NAMESPACE}}}"


def attribute_name(column: str) -> str:
    """Return the name of the attribute of a column, as in linear paths."""
    return f"{_MARK}{column}"


def named_columns(linear_path: str) -> list[str]:
    """Return the columns that a linear path names."""
    return _COLUMN.findall(linear_path)


def computes_reference(linear_paths: Iterable[str]) -> bool:
    """Whether something is computed from a column, which only lxml does."""
    return any(REFERENCE_NAMESPACE in each and f"/{COMPUTED}" in each for each in linear_paths)


def refuse_any_column(linear_paths: Iterable[str], text: str) -> None:
    """Raise an error for `@ref:*`."""
    if any(f"{_MARK}*" in each for each in linear_paths):
        raise UnsupportedError("@ref:* is not supported: name the column", code="unsupported", text=text,
                               offset=max(0, text.find("*")))
