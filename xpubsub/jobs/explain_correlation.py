"""What one message has for one correlation: the nodes that its patterns bind, stream by stream."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from xpubsub.jobs.explain import BranchReport, Explanation, QueryReport
from xpubsub.jobs.explain_alone import rejected, store_of
from xpubsub.jobs.publish import Publisher
from xpubsub.limits import Limits
from xpubsub.step import file_step
from xpubsub.store.listing import Shown
from xpubsub.store.store import Store

EDGE_WITNESSES = file_step("edge_witness")


def explain_correlation(shown: Shown, xml: str | bytes, limits: Limits) -> Explanation:
    """Publish the message in a store of its own, to each stream that the correlation reads, and see what is bound."""
    with store_of(shown, limits) as store:
        publisher = Publisher(store, limits)
        for stream in sorted({row["stream"] for row in store.rows(EDGE_WITNESSES)}):
            with publisher.matched([(f"message of {stream}", xml, 0.0)], stream, "auto") as result:
                if (refused := rejected(shown, result)) is not None:
                    return refused
        return _explanation(shown, store)


def _explanation(shown: Shown, store: Store) -> Explanation:
    reports = []
    for _, rows in groupby(store.rows(EDGE_WITNESSES), key=itemgetter("stream")):
        branches = [_bound(row["stream"], row["linear_path"], int(row["witnesses"])) for row in rows]
        reports.append(QueryReport(all(branch.holds for branch in branches), tuple(branches)))
    return Explanation(shown.subscription_id, shown.text, any(each.matches for each in reports), tuple(reports))


def _bound(stream: str, path: str, found: int) -> BranchReport:
    detail = f"bound {found} time{'s' * (found != 1)}" if found else "nothing is bound"
    return BranchReport(f"{stream}{path}", bool(found), found, found, detail)
