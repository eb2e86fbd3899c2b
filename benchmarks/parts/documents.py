"""Documents: real documents with some hundreds to thousands of subscriptions, beside a loop over lxml's XPaths."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import xpubsub
from benchmarks.baselines import lxml_loop
from benchmarks.checking import check_sample
from benchmarks.measuring import once, warm
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.stores import store_file
from benchmarks.workloads.documents import Derived, RealDocuments

SET = "ubl-xrechnung"
_COMPILED = 5_000
"""Subscriptions of which the rate of compiling is taken."""


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    sizes = options.sizes
    documents = RealDocuments(options.folder(f"{SET}.tar.gz"), SET)
    derive = partial(documents.derived, messages=sizes.document_messages, seed=options.seed)
    plain = derive("plain", subscriptions=sizes.document_subscriptions)
    for part in (100, 10, 1):
        yield _matching("plain", plain.first(max(1, len(plain.texts) // part)), options.runs, f"documents-{part}")
    twisted = derive("twisted", subscriptions=sizes.document_twisted)
    yield _matching("twisted", twisted, options.runs, "documents-twisted")
    yield _compiling(derive("people", subscriptions=sizes.document_people))


def _matching(kind: str, derived: Derived, runs: int, bar: str) -> Row:
    with store_file() as path, xpubsub.connect(path) as broker:
        broker.subscribe_many(_numbered(derived), namespaces=derived.namespaces)
        measured = warm(lambda: broker.publish(derived.messages), runs)
    result = measured.value
    loop = lxml_loop.measure(derived.messages, derived.texts, derived.namespaces)
    check_sample(result.notifications, loop.matches, loop.messages, loop.subscriptions, f"documents, {kind}")
    return Row("documents", f"{len(derived.texts)} {kind} ones", measured.median, "s",
               sizes={**derived.sizes, "notifications": result.notifications.num_rows}, baseline="lxml loop, scaled",
               baseline_figure=loop.scaled(**derived.sizes), faster=True, bar=bar, timings=result.timings)


def _compiling(derived: Derived) -> Row:
    """The rate of `subscribe_many` where no text is like another."""
    with store_file() as path, xpubsub.connect(path) as broker:
        seconds = once(lambda: broker.subscribe_many(_numbered(derived), namespaces=derived.namespaces)).median
    rate = lxml_loop.compile_rate([f"boolean({text})" for text in derived.texts[:_COMPILED]], derived.namespaces)
    return Row("documents", "subscribe_many, texts all different", len(derived.texts) / seconds, "1/s",
               sizes={"subscriptions": len(derived.texts)}, baseline="lxml compiling", baseline_figure=rate,
               bar="subscribe-different", more_is_better=True)


def _numbered(derived: Derived) -> list[tuple[str, str]]:
    return [(f"s{number}", text) for number, text in enumerate(derived.texts)]
