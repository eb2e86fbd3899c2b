"""Explains what a query that Saxon evaluates gives for one message, or which necessary condition fails."""

from __future__ import annotations

from xpubsub.compile.queries import QueryWay
from xpubsub.compile.subscriptions import Compiler
from xpubsub.jobs.explain.explanation import BranchReport, Explanation, Unreadable
from xpubsub.jobs.explain.filters import decided_reports, query_reports
from xpubsub.jobs.explain.readable import shortened
from xpubsub.limits import Limits
from xpubsub.match.saxon import saxon_answers
from xpubsub.shred.encodings import in_utf_8
from xpubsub.shred.reading import Refused
from xpubsub.store.listing import Shown


def explain_query(shown: Shown, xml: str | bytes, limits: Limits) -> Explanation:
    """Report the necessary condition and, if it holds, what Saxon gives."""
    way = Compiler(shown.namespaces, shown.dialect, limits).answered(shown.text)
    assert isinstance(way, QueryWay)
    try:
        reports = query_reports(way.condition.queries, shown, xml, limits)
    except Refused as refused:
        return Explanation(shown.subscription_id, shown.text, False, unreadable=Unreadable(*refused.details))
    notes: tuple[str, ...] = ()
    if any(each.matches for each in reports):
        line, notes = _evaluated(way.text, shortened(" ".join(shown.text.split())), in_utf_8(xml), limits)
        reports = decided_reports(reports, line)
    matches = any(each.matches for each in reports)
    return Explanation(shown.subscription_id, shown.text, matches, reports, notes=notes)


def _evaluated(query: str, text: str, source: bytes, limits: Limits) -> tuple[BranchReport, tuple[str, ...]]:
    [[answer]] = saxon_answers([(source, [query])], limits)
    if answer is None:
        return BranchReport(text, False, 0, 0, "Saxon gives nothing: no binding of an outermost for survives"), ()
    output, code, reason = answer
    if code is not None:
        return BranchReport(text, False, 0, 0, f"the query fails: {reason} [{code}]"), ()
    return BranchReport(text, True, 0, 0, "Saxon gives an output"), (f"output: {output}",)
