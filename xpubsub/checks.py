"""Checks of what callers pass in: the wrong type is an error of ours, with a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xpubsub.errors import Error

_SURROGATE = re.compile("[\ud800-\udfff]")


def is_text(text: str) -> bool:
    """Whether a str is text that can be encoded: it has no half of a surrogate pair."""
    return text.isascii() or not _SURROGATE.search(text)


def check_text(what: str, value: object, *, empty: bool = False) -> str:
    """A text, not empty unless that is allowed."""
    if not isinstance(value, str):
        raise Error(f"{what} is a str, not {type(value).__name__}")
    if not value and not empty:
        raise Error(f"{what} is empty")
    if not is_text(value):
        raise Error(f"{what} has half of a surrogate pair: {value!r}")
    return value


def check_namespaces(namespaces: object) -> dict[str, str]:
    """Namespaces by prefix; none if there are none."""
    if namespaces is None:
        return {}
    if not isinstance(namespaces, Mapping):
        raise Error(f"namespaces map prefixes to URIs, they are no {type(namespaces).__name__}")
    checked = {
        check_text("a namespace prefix", prefix, empty=True): check_text("a namespace URI", uri, empty=True)
        for prefix, uri in namespaces.items()
    }
    for prefix, uri in checked.items():
        if prefix and not uri:
            raise Error(f"the prefix {prefix!r} has an empty URI: a name in no namespace has no prefix")
    return checked


def check_iterable(what: str, value: object) -> Iterable[Any]:
    """Something to loop over, but no text."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise Error(f"{what} are several, not one {type(value).__name__}")
    return value


def check_progress(progress: object) -> Callable[[int], None] | None:
    """A function to be told how far it is, or none."""
    if progress is not None and not callable(progress):
        raise Error(f"progress is a function, not {type(progress).__name__}")
    return progress
