"""XML publish/subscribe on DuckDB and Spark: stored subscriptions, matched with messages by SQL."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xpubsub.broker import Broker
    from xpubsub.connecting import connect
    from xpubsub.errors import (
        EngineError,
        Error,
        LimitError,
        QuerySyntaxError,
        RowErrors,
        SchemaError,
        StoreError,
        UnsupportedError,
    )
    from xpubsub.jobs.publish.result import Result
    from xpubsub.jobs.subscribe.subscribed import Subscribed
    from xpubsub.limits import Limits

__version__ = "0.1.0"
__all__ = [
    "Broker", "EngineError", "Error", "LimitError", "Limits", "QuerySyntaxError", "Result", "RowErrors", "SchemaError",
    "StoreError", "Subscribed", "UnsupportedError", "connect",
]
_HOMES = {
    "Broker": "broker", "connect": "connecting", "Limits": "limits", "Result": "jobs.publish.result",
    "Subscribed": "jobs.subscribe.subscribed",
}
"""The modules that hold the public names; those not listed are errors."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import xpubsub` and the command line start at once."""
    if name == "spill":
        return import_module("xpubsub.spill")
    if name not in __all__:
        raise AttributeError(f"module 'xpubsub' has no attribute {name!r}")
    value = getattr(import_module(f"xpubsub.{_HOMES.get(name, 'errors')}"), name)
    globals()[name] = value
    return value
