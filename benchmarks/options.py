"""The sizes of a run and the options of `run.py`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields, replace
from pathlib import Path

PARTS = ("stock", "nasa", "range", "paths", "one", "churn", "transform", "computed", "correlate", "feeds", "endless",
         "spark", "feeds-spark", "spark-scaling", "xpath", "reference", "overload", "overload-many", "any-order",
         "mixed", "documents", "nitf")
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Where data of others may lie."""
_OUTPUT = Path("build/bench/results.json")


@dataclass(frozen=True)
class Sizes:
    """How much of everything; the defaults are the sizes of the bars."""

    stock_subscriptions: int = 1_000_000
    stock_messages: int = 10_000
    nasa_subscriptions: int = 130_000
    nasa_grown: int = 700_000
    nasa_documents: int = 2_433
    range_subscriptions: int = 100_000
    range_messages: int = 1_000
    linear_paths: int = 42_000
    one_subscriptions: int = 1_000_000
    one_messages: int = 2_000
    one_changes: int = 100_000
    one_at_once: int = 100
    churn_subscriptions: int = 100_000
    churn_batches: int = 50
    churn_calls: int = 1_000
    transform_queries: int = 100_000
    transform_base: int = 10_000
    transform_documents: int = 200
    transform_few_queries: int = 5_000
    transform_few_documents: int = 20
    correlate_queries: int = 100_000
    correlate_sequential: int = 1_000
    correlate_few: int = 1_000
    correlate_sample: int = 200
    feed_queries: int = 100_000
    feed_items: int = 225_000
    feed_slice: int = 20_000
    feed_batch: int = 2_000
    feed_sequential: int = 100
    endless_recursive: int = 30
    endless_flat: int = 42
    endless_large: int = 1_000
    endless_subscriptions: int = 1_000
    spark_stock_subscriptions: int = 1_000_000
    spark_stock_messages: int = 10_000
    spark_nasa_subscriptions: int = 130_000
    spark_nasa_documents: int = 2_433
    spark_feed_queries: int = 10_000
    spark_feed_items: int = 2_000
    spark_transform_queries: int = 10_000
    spark_transform_documents: int = 2_000
    scaling_subscriptions: int = 1_000_000
    scaling_messages: int = 10_000
    xpath_rules: int = 10_000
    xpath_invoices: int = 300
    xpath_indexed: int = 100_000
    xpath_messages: int = 10_000
    mixed_subscriptions: int = 1_000_000
    mixed_messages: int = 200
    mixed_changes: int = 20
    document_messages: int = 300
    document_subscriptions: int = 10_000
    document_twisted: int = 1_000
    document_people: int = 10_000
    nitf_subscriptions: int = 500_000
    nitf_documents: int = 500
    reference_subscriptions: int = 100_000
    reference_rows: int = 10_000_000
    reference_messages: int = 2_000
    overload_larger: int = 2
    overload_seconds: int = 6
    overload_messages: int = 40
    overload_transformations: int = 10_000
    overload_documents: int = 1_000

    def scaled(self, scale: float) -> Sizes:
        """All sizes times a factor."""
        return Sizes(**{each.name: max(1, round(getattr(self, each.name) * scale)) for each in fields(self)})


QUICK = Sizes(
    stock_subscriptions=50_000, stock_messages=2_000, nasa_subscriptions=3_000, nasa_grown=16_000, nasa_documents=200,
    range_subscriptions=20_000, range_messages=200, one_subscriptions=50_000, one_messages=100, one_changes=500,
    one_at_once=10, churn_subscriptions=10_000, churn_batches=10, churn_calls=200, transform_queries=2_000,
    transform_base=1_000, transform_documents=50, transform_few_queries=500, transform_few_documents=10,
    correlate_queries=1_000, correlate_sequential=100, correlate_few=50, correlate_sample=10, feed_queries=1_000,
    feed_items=4_000, feed_slice=2_000, feed_batch=1_000, feed_sequential=10,
    endless_recursive=2, endless_flat=3, endless_large=5, endless_subscriptions=50, spark_stock_subscriptions=20_000,
    spark_stock_messages=1_000, spark_nasa_subscriptions=3_000, spark_nasa_documents=200, spark_feed_queries=200,
    spark_feed_items=400, spark_transform_queries=500, spark_transform_documents=100, scaling_subscriptions=20_000,
    scaling_messages=1_000, xpath_rules=1_500, xpath_invoices=50, xpath_indexed=10_000, xpath_messages=1_000,
    mixed_subscriptions=20_000, mixed_messages=50, mixed_changes=5, document_messages=50, document_subscriptions=1_000,
    document_twisted=200, document_people=500, nitf_subscriptions=5_000, nitf_documents=50,
    reference_subscriptions=5_000, reference_rows=100_000, reference_messages=200,
    overload_larger=1, overload_seconds=2, overload_messages=20, overload_transformations=500,
    overload_documents=200,
)


@dataclass(frozen=True)
class Options:
    """What to run."""

    parts: tuple[str, ...]
    sizes: Sizes
    seed: int
    runs: int
    spark_memory: str
    data: Path | None
    output: Path
    plots: Path | None

    def folder(self, archive: str) -> Path:
        """Return the folder of the data, in which an archive must be."""
        if self.data is None or not (self.data / archive).exists():
            raise FileNotFoundError(f"no {archive}: --data says in which folder it is")
        return self.data


def read_options(description: str, given: list[str] | None) -> Options:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes: a few minutes in all")
    parser.add_argument("--scale", type=float, default=1, help="a factor for all sizes, before those given by name")
    parser.add_argument("--only", metavar="PART,...", type=_parts, default=PARTS, help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--no-spark", action="store_true", help="without the parts on Spark")
    parser.add_argument("--runs", type=_positive, default=5, help="runs of which the median is taken (default: 5)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spark-memory", default="6g", help="memory of the Spark driver (default: 6g)")
    parser.add_argument("--data", type=Path, default=BESIDE if BESIDE.is_dir() else None,
                        help="the folder of feeds-stream-ai.tar.gz, nitf-yfilter.tar.gz, ubl-xrechnung.tar.gz and\n"
                             "Schematron rules")
    parser.add_argument("--output", type=Path, default=_OUTPUT, help=f"the JSON file (default: {_OUTPUT})")
    parser.add_argument("--plots", type=Path, help="a folder for plots")
    sizes = parser.add_argument_group("sizes")
    for each in fields(Sizes):
        sizes.add_argument(f"--{each.name.replace('_', '-')}", type=_positive, metavar="N",
                           help=f"{each.default:,}, quick {getattr(QUICK, each.name):,}")
    return _options(parser.parse_args(given))


def _parts(names: str) -> tuple[str, ...]:
    unknown = [name for name in names.split(",") if name not in PARTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no part {', '.join(unknown)}: the parts are {', '.join(PARTS)}")
    return tuple(names.split(","))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _options(given: argparse.Namespace) -> Options:
    named = {each.name: getattr(given, each.name) for each in fields(Sizes)}
    sizes = (QUICK if given.quick else Sizes()).scaled(given.scale)
    sizes = replace(sizes, **{name: value for name, value in named.items() if value is not None})
    parts = tuple(part for part in given.only if not (given.no_spark and "spark" in part))
    return Options(parts, sizes, given.seed, given.runs, given.spark_memory, given.data, given.output, given.plots)
