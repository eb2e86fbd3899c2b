"""XML publish/subscribe on DuckDB and Spark: stored subscriptions, matched with messages by SQL."""

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
