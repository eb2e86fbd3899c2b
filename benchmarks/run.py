"""Run the benchmarks: print tables, write a JSON file, draw plots.

    python benchmarks/run.py                          all parts in the sizes of the bars; hours
    python benchmarks/run.py --quick                  small sizes; minutes
    python benchmarks/run.py --only stock,nasa --scale 0.1 --output before.json --plots plots

The JSON file is written anew after each row. A part that fails, or whose answers differ from a baseline's, is reported
at the end, with exit code 1; the other parts run. Two files are compared by benchmarks/compare.py.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.machine import commit, machine, versions
from benchmarks.options import Options, read_options
from benchmarks.parts import (
    any_order,
    churn,
    computed,
    correlate,
    documents,
    endless,
    feeds,
    feeds_spark,
    mixed,
    nasa,
    nitf,
    one,
    overload,
    paths,
    range,
    reference,
    spark,
    spark_scaling,
    stock,
    transform,
    xpath,
)
from benchmarks.plots import draw
from benchmarks.report import figure_text, ratio_text, show
from benchmarks.rows import Row, Run

PARTS: dict[str, Callable[[Options], Iterator[Row]]] = {
    "stock": stock.measure, "nasa": nasa.measure, "range": range.measure, "paths": paths.measure, "one": one.measure,
    "churn": churn.measure, "transform": transform.measure, "computed": computed.measure,
    "correlate": correlate.measure, "feeds": feeds.measure, "endless": endless.measure, "spark": spark.measure,
    "feeds-spark": feeds_spark.measure,
    "spark-scaling": spark_scaling.measure, "xpath": xpath.measure, "reference": reference.measure,
    "overload": overload.measure, "overload-many": overload.first_parts,
    "any-order": any_order.measure, "mixed": mixed.measure, "documents": documents.measure, "nitf": nitf.measure,
}


def main(given: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    options = read_options(__doc__ or "", given)
    date = datetime.now(UTC).isoformat(timespec="seconds")
    settings = {"seed": options.seed, "runs": options.runs, "sizes": asdict(options.sizes)}
    run = Run(date, commit(), machine(), versions(), settings)
    for part in options.parts:
        run_part(part, options, run)
    show(run)
    if options.plots:
        draw(run, options.plots)
    return 1 if run.errors else 0


def run_part(part: str, options: Options, run: Run) -> None:
    """Add the rows of a part to a run, or its error; write the file after each."""
    started = time.monotonic()
    say(f"{part} ...")
    try:
        for row in PARTS[part](options):
            run.rows.append(row)
            run.write(options.output)
            say(f"  {row.key}: {figure_text(row.figure, row.unit)} {ratio_text(row)}")
    except Exception as error:
        traceback.print_exc()
        run.errors[part] = f"{type(error).__name__}: {error}"
    run.write(options.output)
    say(f"{part}: {time.monotonic() - started:.0f} s")


def say(line: str) -> None:
    """Progress, on stderr."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
