"""What one message has for one correlation: the nodes that its patterns bind, stream by stream."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.jobs.explain import BranchReport, Explanation, QueryReport, Unreadable
from xpubsub.jobs.incoming import read_rows
from xpubsub.jobs.publish import Publisher
from xpubsub.jobs.subscribe import SubscribeForm, subscribe
from xpubsub.limits import Limits
from xpubsub.plan.reads import EDGE_WITNESSES
from xpubsub.store.listing import Shown
from xpubsub.store.store import Store


def explain_correlation(shown: Shown, xml: str | bytes, limits: Limits) -> Explanation:
    """Publish the message in a store of its own, to each stream that the correlation reads, and see what is bound."""
    engine = DuckDBEngine(":memory:")
    try:
        store = Store(engine)
        form = SubscribeForm(shown.namespaces, shown.dialect, shown.stream)
        subscribe(store, read_rows([(shown.subscription_id, shown.text)]), form, limits)
        publisher = Publisher(store, limits)
        for stream in sorted({row["stream"] for row in store.rows(EDGE_WITNESSES)}):
            for row in publisher.publish([(f"message of {stream}", xml, 0.0)], stream, "auto").rejected.to_pylist():
                refused = Unreadable(row["code"], row["reason"], row["line"], row["column"])
                return Explanation(shown.subscription_id, shown.text, False, unreadable=refused)
        return _explanation(shown, store)
    finally:
        engine.close()


def _explanation(shown: Shown, store: Store) -> Explanation:
    reports = []
    for _, rows in groupby(store.rows(EDGE_WITNESSES), key=itemgetter("stream")):
        branches = [_bound(row["stream"], row["linear_path"], int(row["witnesses"])) for row in rows]
        reports.append(QueryReport(all(branch.holds for branch in branches), tuple(branches)))
    return Explanation(shown.subscription_id, shown.text, any(each.matches for each in reports), tuple(reports))


def _bound(stream: str, path: str, found: int) -> BranchReport:
    detail = f"bound {found} time{'s' * (found != 1)}" if found else "nothing is bound"
    return BranchReport(f"{stream}{path}", bool(found), found, found, detail)
