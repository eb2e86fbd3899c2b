"""Transformations (Diao & Franklin 2003, section 6): time per message, beside saxonche run query by query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

import xpubsub
from benchmarks.baselines.saxon_loop import SaxonLoop
from benchmarks.baselines.saxon_loop import measure as saxon_loop
from benchmarks.measuring import warm
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.stores import stored
from benchmarks.workloads.dtds import BIB, BOOK, Documents, bib, book
from benchmarks.workloads.flwr import Parameters, Queries

SCALED = Parameters(values=1_000)
"""With the paper's 10 values nearly all queries match all messages, and there are no 100,000 distinct ones."""
_READING = ("shred", "paths", "load", "sample")
"""Steps that are not query processing: the paper leaves out parsing, too."""
_APPROACHES = ("f", "fw", "fwr")
_CLAIMS = {"no claims": ",no-claims", "claims by the query": ",no-schema", "claims by query and schema": ""}


@dataclass(frozen=True)
class Workload:
    """Messages of a DTD, and queries on them."""

    name: str
    documents: list[tuple[str, str]]
    queries: list[str]
    dtd: str

    def subscriptions(self) -> pa.Table:
        """The queries, as `subscribe_many` takes them."""
        return pa.table({"id": [f"s{number}" for number in range(len(self.queries))], "text": self.queries})


def workload(name: str, queries: int, documents: int, parameters: Parameters, seed: int) -> Workload:
    """Bib messages are flat; those of Book have sections in sections."""
    source: Documents = (bib if name == "bib" else book)(parameters.values, seed)
    depth = replace(parameters, binding_depth=2 if name == "bib" else 3)
    texts = Queries(source.dtd, depth, seed).distinct(queries)
    root, dtd = ("bib", BIB) if name == "bib" else ("book", BOOK)
    return Workload(name, [(f"m{number}", source.document()) for number in range(documents)], texts,
                    f"<!DOCTYPE {root} [{dtd}]>")


def _few(name: str, parameters: Parameters, options: Options) -> Workload:
    """As many as the slowest approach can take."""
    sizes = options.sizes
    return workload(name, sizes.transform_few_queries, sizes.transform_few_documents, parameters, options.seed)


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    for name in ("bib", "book"):
        yield from _scaled(name, options)
        yield from _approaches(name, options)
    yield from _varied(options)
    yield from _unshared(options)


def _scaled(name: str, options: Options) -> Iterator[Row]:
    """Time over the number of queries; per result beside that of the base, and beside the loop over saxonche."""
    sizes, base = options.sizes, 0.0
    most = sizes.transform_queries
    for queries in (sizes.transform_base, sizes.transform_base // 2, most // 2, most):
        given = workload(name, queries, sizes.transform_documents, SCALED, options.seed)
        loop = saxon_loop(given.documents, given.queries)
        with stored(given.subscriptions()) as (broker, seconds):
            broker.schema(given.dtd)
            measured = warm(lambda broker=broker, given=given: broker.publish(given.documents), options.runs)  # type: ignore[misc]
        loop.check(measured.value.notifications, name)
        yield from _beside(given, measured.median, measured.value, loop, base, seconds)
        base = base or measured.median / max(measured.value.notifications.num_rows, 1)


def _beside(
    given: Workload, seconds: float, result: xpubsub.Result, loop: SaxonLoop, base: float, subscribing: float
) -> Iterator[Row]:
    results = max(result.notifications.num_rows, 1)
    sizes = {"queries": len(given.queries), "messages": len(given.documents), "results": results}
    count = f"{len(given.queries):,} queries"
    yield Row("transform", f"{given.name}, {count}", seconds, "s", sizes=sizes, baseline="saxonche, query by query",
              baseline_figure=loop.scaled(len(given.queries), len(given.documents)), faster=True, bar="transform",
              timings=result.timings, plots=("steps",))
    yield Row("transform", f"{given.name}, {count}: subscribe", subscribing, "s", sizes=sizes)
    if base:
        yield Row("transform", f"{given.name}, {count}: per result", 1e6 * seconds / results, "us", sizes=sizes,
                  baseline="the base, per result", baseline_figure=1e6 * base, bar="transform-growth")


def _approaches(name: str, options: Options) -> Iterator[Row]:
    """Figures 7 and 10: the three approaches, with and without claims."""
    given = _few(name, Parameters(values=100), options)
    yield from _each_approach(given, f"{name}", _CLAIMS, options)


def _varied(options: Options) -> Iterator[Row]:
    """Figures 8 and 9, and DSProb: more predicates, more return paths, more `//`."""
    few = Parameters(values=100)
    varied = {
        **{f"PP = {n}": replace(few, predicates=n) for n in (1, 2, 3)},
        **{f"RP = {n}": replace(few, returns=n) for n in (1, 2, 3, 4)},
        **{f"DSProb = {share}": replace(few, descendants=share) for share in (0, 0.2, 0.4)},
    }
    for what, parameters in varied.items():
        given = _few("bib", parameters, options)
        yield from _each_approach(given, f"bib, {what}", {"": ""}, options)


def _each_approach(given: Workload, what: str, claims: Mapping[str, str], options: Options) -> Iterator[Row]:
    with stored(given.subscriptions()) as (broker, _):
        broker.schema(given.dtd)
        for named, modifier in claims.items():
            times = {plan: _mqpt(broker, given, plan + modifier, options.runs) for plan in _APPROACHES}
            for plan, seconds in times.items():
                shown = f"{what}, {plan}" + (f", {named}" if named else "")
                sizes = {"queries": len(given.queries), "messages": len(given.documents)}
                yield Row("transform", f"MQPT, {shown}", 1e3 * seconds / len(given.documents), "ms", sizes=sizes,
                          baseline="fwr", baseline_figure=1e3 * times["fwr"] / len(given.documents))


def _mqpt(broker: xpubsub.Broker, given: Workload, plan: str, runs: int) -> float:
    """Seconds of query processing: without parsing."""
    runs = 1 if plan.startswith("f,") or plan == "f" else runs
    results = [broker.publish(given.documents, plan=plan) for _ in range(runs + 1)][1:]
    times = [sum(seconds for step, seconds in each.timings.items() if step not in _READING) for each in results]
    return sorted(times)[len(times) // 2]


def _unshared(options: Options) -> Iterator[Row]:
    """Section 6.5: all queries by one shared plan, beside each by a plan of its own, sampled."""
    for name in ("bib", "book"):
        given = _few(name, Parameters(values=100), options)
        with stored(given.subscriptions()) as (broker, _):
            shared = _mqpt(broker, given, "fwr", options.runs)
        sample = given.queries[:: max(1, len(given.queries) // 20)][:20]
        alone = sum(_alone(replace(given, queries=[query])) for query in sample)
        scale = len(given.queries) / len(sample)
        yield Row("transform", f"MQPT, {name}, fwr, shared", 1e3 * shared / len(given.documents), "ms",
                  sizes={"queries": len(given.queries), "messages": len(given.documents)}, faster=True,
                  baseline="fwr, each query by itself", baseline_figure=1e3 * scale * alone / len(given.documents))


def _alone(given: Workload) -> float:
    with stored(given.subscriptions()) as (broker, _):
        return _mqpt(broker, given, "fwr", 1)
