"""What is to be reached: on two cores, warm, medians, ratios within one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Bar:
    """A bound on the figure, or on the ratio, of the rows that name it."""

    what: str
    text: str
    limit: float
    at_most: bool = True
    of_ratio: bool = True
    sizes: Mapping[str, int] = field(default_factory=dict)
    """The sizes it is meant for, of those that a row has; with less it says little."""

    def holds(self, value: float) -> bool:
        """Whether a value is within the bound."""
        return value <= self.limit if self.at_most else value >= self.limit


_STOCK = {"subscriptions": 1_000_000, "messages": 10_000}
_NASA = {"subscriptions": 130_000, "messages": 2_400}
_FEEDS = {"queries": 100_000, "items": 225_000}

BARS: dict[str, Bar] = {
    "endless": Bar("a document of 1 GB, publish_stream", ">= 0.5 x publish of its units", 0.5, at_most=False,
                   sizes={"megabytes": 1_000}),
    "endless-iterparse": Bar("a document of 1 GB, publish_stream", ">= 1 x lxml's iterparse with the same XPaths", 1,
                             at_most=False, sizes={"megabytes": 1_000}),
    "endless-memory": Bar("a document of 1 GB, memory of the process", "<= 500 MB", 500, of_ratio=False,
                          sizes={"megabytes": 1_000}),
    "overload-idle": Bar("a job with overload that never spills", "<= 1.02 x a job without", 1.02),
    "stock": Bar("stock, 1M x 10K, DuckDB: publish, XML in to Arrow out, at every selectivity",
                 "<= 2.5 x (raw shred + numpy match)", 2.5, sizes=_STOCK),
    "stock-spark": Bar("stock on Spark, warm", "<= 1.3 x DuckDB", 1.3, sizes=_STOCK),
    "stock-spark-sql": Bar("stock on Spark, plan sql, warm", "<= 3 x DuckDB", 3, sizes=_STOCK),
    "nasa": Bar("nasa, 130K, DuckDB, path matches cached", ">= 900 x the lxml loop", 900, at_most=False, sizes=_NASA),
    "nasa-spark": Bar("nasa, 130K, Spark, warm", ">= 150 x the lxml loop", 150, at_most=False, sizes=_NASA),
    "nasa-spark-sql": Bar("nasa, 130K, Spark, plan sql, warm", ">= 150 x the lxml loop", 150, at_most=False,
                          sizes=_NASA),
    "transform-spark": Bar("transformations on Spark, warm", "<= 1.5 x DuckDB", 1.5,
                           sizes={"queries": 10_000, "messages": 2_000}),
    "growth": Bar("nasa, from 130K to 700K subscriptions", "time <= 5.5 x", 5.5, sizes={"subscriptions": 700_000}),
    "xpath": Bar("10,000 Schematron rules x 300 invoices", ">= 20 x the lxml loop", 20, at_most=False,
                 sizes={"subscriptions": 10_000, "messages": 300}),
    "xpath-every": Bar("one filter on every message, among 100K", "<= 1 x lxml for it alone", 1,
                       sizes={"subscriptions": 100_000, "messages": 10_000}),
    "range": Bar("range, 100K x 1,000", "< 1 x a numpy loop that tests every pair", 1,
                 sizes={"subscriptions": 100_000, "messages": 1_000}),
    "subscribe": Bar("subscribe_many, 1M stock subscriptions", ">= 1 x the rate at which lxml compiles them", 1,
                     at_most=False, sizes={"subscriptions": 1_000_000}),
    "paths": Bar("42,000 linear paths x 73 tag paths", "<= 1.5 s", 1.5, of_ratio=False,
                 sizes={"linear paths": 42_000, "tag paths": 73}),
    "one": Bar("one message, 1M subscriptions, DuckDB, before and after 100,000 inserts and deletes",
               "p50 <= 3 ms", 3, of_ratio=False, sizes={"subscriptions": 1_000_000, "changes": 100_000}),
    "reference": Bar("100,000 subscriptions on columns of a table of ten million rows, DuckDB, warm",
                     "<= 1.5 x the attributes in the messages", 1.5, sizes={"subscriptions": 100_000}),
    "transform": Bar("100,000 transformations x 200 messages, DuckDB, warm", ">= 500 x saxonche, query by query", 500,
                     at_most=False, sizes={"queries": 100_000, "messages": 200}),
    "computed": Bar("the same, half of them with order by, attribute templates and aggregates",
                    ">= 300 x saxonche, query by query", 300, at_most=False,
                    sizes={"queries": 100_000, "messages": 200}),
    "transform-growth": Bar("transformations, from 10,000 to 100,000, time per result", "<= 3 x", 3,
                            sizes={"queries": 100_000, "messages": 200}),
    "any-order-5": Bar("stock with fields in any order, 1M x 10K, 100K notifications",
                       "<= 1.5 x (raw shred + numpy match)", 1.5, sizes=_STOCK),
    "any-order-4": Bar("the same, 1M notifications", "<= 2 x (raw shred + numpy match)", 2, sizes=_STOCK),
    "subscribe-any-order": Bar("subscribe_many, 1M of them", ">= 1 x the rate at which lxml compiles them", 1,
                               at_most=False, sizes={"subscriptions": 1_000_000}),
    "any-order-one": Bar("one message, 1M of them", "p50 <= 1 ms", 1, of_ratio=False,
                         sizes={"subscriptions": 1_000_000}),
    "any-order-p99": Bar("one message, 1M of them", "p99 <= 5 ms", 5, of_ratio=False,
                         sizes={"subscriptions": 1_000_000}),
    "mixed-filter": Bar("one message, a few filters of another kind beside 1M", "p50 <= 2 ms", 2, of_ratio=False,
                        sizes={"subscriptions": 1_000_000}),
    "mixed-transformation": Bar("one message, a few transformations beside 1M", "p50 <= 5 ms", 5, of_ratio=False,
                                sizes={"subscriptions": 1_000_000}),
    "mixed-correlation": Bar("one message, a few correlations beside 1M", "p50 <= 10 ms", 10, of_ratio=False,
                             sizes={"subscriptions": 1_000_000}),
    "change": Bar("one subscribe, or the first publish after it, 1M stored", "p50 <= 5 ms", 5, of_ratio=False,
                  sizes={"subscriptions": 1_000_000}),
    "documents-100": Bar("100 plain subscriptions x 300 documents", ">= 3 x the lxml loop", 3, at_most=False),
    "documents-10": Bar("1,000 plain subscriptions x 300 documents", ">= 30 x the lxml loop", 30, at_most=False),
    "documents-1": Bar("10,000 plain subscriptions x 300 documents", ">= 150 x the lxml loop", 150, at_most=False,
                       sizes={"subscriptions": 10_000, "messages": 300}),
    "documents-twisted": Bar("1,000 twisted subscriptions x 300 documents", ">= 10 x the lxml loop", 10, at_most=False),
    "subscribe-different": Bar("subscribe_many, 10,000 texts that are all different", ">= 15,000/s", 15_000,
                               at_most=False, of_ratio=False, sizes={"subscriptions": 10_000}),
    "correlate": Bar("100,000 correlations, a document that follows another, DuckDB, warm",
                     ">= 100 x one correlation after the other", 100, at_most=False, sizes={"queries": 100_000}),
    "feeds": Bar("100,000 correlations with infinite windows over 225,000 feed items, DuckDB", ">= 2,000 items/s",
                 2_000, at_most=False, of_ratio=False, sizes=_FEEDS),
    "feeds-flat": Bar("feed items per second, from 10,000 to 100,000 correlations", ">= 0.8 x", 0.8, at_most=False,
                      sizes={"queries": 100_000}),
    "memory": Bar("memory for publish of the stock batch", "<= 1 GB above the open store", 1, of_ratio=False,
                  sizes=_STOCK),
}
