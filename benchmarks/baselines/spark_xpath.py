"""Spark's own `xpath_boolean`, which takes a constant expression: one column per subscription of a sample, scaled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.measuring import warm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAMPLE = (50, 100)
"""Subscriptions and messages."""
_RUNS = 3


@dataclass(frozen=True)
class SparkXPath:
    """What came out of a sample."""

    messages: int
    subscriptions: int
    seconds: float
    matches: set[tuple[int, int]]
    """(message, subscription)."""

    def scaled(self, messages: int, subscriptions: int) -> float:
        """Seconds for all pairs."""
        return self.seconds * (messages / self.messages) * (subscriptions / self.subscriptions)


def measure(session: SparkSession, messages: Sequence[tuple[str, str]], texts: Sequence[str]) -> SparkXPath:
    """Measure it on the first messages and subscriptions; each pair parses the message, as Spark does it."""
    from pyspark.sql.functions import lit, xpath_boolean

    rows = [(number, xml) for number, (_, xml) in enumerate(messages[: SAMPLE[1]])]
    frame = session.createDataFrame(rows, "message int, xml string").repartition(2).cache()
    columns = [xpath_boolean("xml", lit(text)).alias(f"s{number}") for number, text in enumerate(texts[: SAMPLE[0]])]
    measured = warm(lambda: frame.select("message", *columns).collect(), _RUNS)
    frame.unpersist()
    matches = {(row[0], number) for row in measured.value for number, matched in enumerate(row[1:]) if matched}
    return SparkXPath(len(rows), len(columns), measured.median, matches)
