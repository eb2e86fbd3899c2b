"""Explains why one message matches one filter, or the first condition that fails."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from xpubsub.compile.subscriptions import Compiler
from xpubsub.jobs.explain.evidence import Evidence, Found, ShreddedMessage
from xpubsub.jobs.explain.explanation import BranchReport, Explanation, QueryReport, Unreadable
from xpubsub.jobs.explain.near_misses import NearMisses, all_tagpaths
from xpubsub.jobs.explain.readable import Names, branch_text, listed, shortened
from xpubsub.language.xpath.branches import DOCUMENT, Branch, Query
from xpubsub.language.xpath.linear import linear_steps
from xpubsub.language.xpath1.ways import LxmlCheck
from xpubsub.limits import Limits
from xpubsub.match.checks import Checks
from xpubsub.shred.encodings import in_utf_8
from xpubsub.shred.reading import Refused
from xpubsub.store.listing import Shown


def explain_subscription(shown: Shown, xml: str | bytes, limits: Limits) -> Explanation:
    """Explain why a message matches a filter subscription, or what fails first."""
    way = Compiler(shown.namespaces, shown.dialect, limits, shown.variables).way(shown.text)
    try:
        reports = query_reports(way.queries, shown, xml, limits)
    except Refused as refused:
        return Explanation(shown.subscription_id, shown.text, False, unreadable=Unreadable(*refused.details))
    if way.check is not None and any(each.matches for each in reports):
        reports = decided_reports(reports, _lxml_report(way.check, shown.text, in_utf_8(xml), limits))
    return Explanation(shown.subscription_id, shown.text, any(each.matches for each in reports), reports)


def query_reports(
    queries: Sequence[Query], shown: Shown, xml: str | bytes, limits: Limits
) -> tuple[QueryReport, ...]:
    """Report the evidence in a message about queries, of which one must hold."""
    shredded = ShreddedMessage(list(queries), xml, limits)
    near_misses = NearMisses(all_tagpaths(xml, limits), Names(shown.namespaces))
    return tuple(query_report(Evidence(query, shredded), near_misses) for query in queries)


def _lxml_report(check: LxmlCheck, text: str, source: bytes, limits: Limits) -> BranchReport:
    stored = {0: (check.expression, json.dumps(dict(check.namespaces)))}
    [held] = Checks(stored, limits).held([(source, [0])])
    return BranchReport(text, bool(held), 0, 0, f"lxml evaluates the whole expression to {'true' if held else 'false'}")


def decided_reports(reports: Sequence[QueryReport], line: BranchReport) -> tuple[QueryReport, ...]:
    """Add what is decided to the reports of necessary conditions that hold."""
    return tuple(replace(each, matches=line.holds, branches=(*each.branches, line)) if each.matches else each
                 for each in reports)


def query_report(evidence: Evidence, near_misses: NearMisses) -> QueryReport:
    """Report the evidence about one query."""
    return _Explainer(evidence, near_misses).report()


class _Explainer:
    """Puts the evidence about one query into words."""

    def __init__(self, evidence: Evidence, near_misses: NearMisses) -> None:
        self._evidence = evidence
        self._near_misses = near_misses
        self._names = near_misses.names

    def report(self) -> QueryReport:
        matches = self._evidence.matches
        numbers = sorted(self._listed(0))
        told = [number for number in numbers if self._evidence.branches[number].linear_path != DOCUMENT] or numbers
        branches = tuple(self._branch(number) for number in told)
        apart = None if matches or not all(branch.holds for branch in branches) else self._apart()
        return QueryReport(matches, branches, apart)

    def _listed(self, point: int) -> list[int]:
        """Return the branches to report: all except those below a not(), which are part of its text."""
        listed: list[int] = []
        for number in self._evidence.conditions(point):
            listed.append(number)
            if not self._evidence.branches[number].negated:
                for inner, _ in self._evidence.inner(number):
                    listed.extend(self._listed(inner))
        return listed

    def _branch(self, number: int) -> BranchReport:
        branch, found = self._evidence.branches[number], self._evidence.found[number]
        condition = branch_text(self._names, self._evidence, number)
        nodes = {each.leaf for each in found}
        passing = {each.leaf for each in found if each.passes}
        if branch.negated:
            holds, detail = self._negated(number, len(nodes), len(passing))
            return BranchReport(condition, holds, len(nodes), len(passing), detail, self._nothing_below(number))
        holds = bool(_firsts_passing(found, self._evidence.depth(number)) if branch.first else passing)
        if branch.test.op == "at-least":
            holds = any(self._evidence.holds(number, node) for node in self._evidence.nodes_of(branch.context))
        hint = None if nodes else self._near_misses.hint(branch.linear_path)
        detail = _detail(branch, found, len(nodes), len(passing), holds)
        return BranchReport(condition, holds, len(nodes), len(passing), detail, hint)

    def _nothing_below(self, number: int) -> str | None:
        """For a not() that holds because nothing was found: a hint if a name in it is in another namespace."""
        below = reversed([*self._evidence.below(number)])
        nowhere = (each for each in below if not self._evidence.found[each])
        hints = (self._near_misses.namespace_hint(self._evidence.branches[each].linear_path) for each in nowhere)
        return next((hint for hint in hints if hint is not None), None)

    def _negated(self, number: int, found: int, passing: int) -> tuple[bool, str]:
        evidence, branch = self._evidence, self._evidence.branches[number]
        contexts = evidence.nodes_of(branch.context)
        holding = sum(evidence.holds(number, node) for node in contexts)
        if branch.context:
            return bool(holding) or not contexts, f"holds for {holding or 'none'} of {_nodes(len(contexts))}"
        if holding:
            return True, "found none" if not found else f"found {_nodes(found)}, none of which counts"
        if branch.test.op == "exists" and not evidence.inner(number):
            return False, f"found {_nodes(found)}, but there must be none"
        return False, f"found {_nodes(found)}, {_pass(passing)}, but none may"

    def _apart(self) -> str:
        for number in self._evidence.conditions(0):
            if not self._evidence.holds(number) and (points := self._gap(number)):
                met = " and ".join(f"the same {self._element(point)}" for point in points)
                return f"each condition holds somewhere, but not in {met}"
        return "each condition holds somewhere, but not together"

    def _gap(self, number: int) -> list[int]:
        """Return the deepest branching point, along a branch or below it, whose conditions meet in no node."""
        evidence, inner = self._evidence, [point for point, _ in self._evidence.inner(number)]
        for point in reversed(inner):
            nodes = evidence.nodes_of(point)
            for condition in evidence.conditions(point):
                nowhere = not any(evidence.holds(condition, node) for node in nodes)
                if nowhere and (gap := self._gap(condition)):
                    return gap
            if not any(evidence.all_hold(point, node) for node in nodes):
                return [point]
        return next(([point] for point in reversed(inner) if not self._continues(number, point)), inner)

    def _continues(self, number: int, point: int) -> bool:
        """Whether a branch reaches a passing node through a node that meets all conditions of a branching point."""
        at = [each for each, _ in self._evidence.branches[number].points].index(point)
        found = self._evidence.found[number]
        return any(each.passes and self._evidence.all_hold(point, each.nodes[at]) for each in found)

    def _element(self, point: int) -> str:
        return f"<{self._names.step(linear_steps(self._evidence.step_of(point))[-1][1])}>"


def _firsts_passing(found: Sequence[Found], depth: int) -> list[Found]:
    """For contains() and starts-with(): the first node below each node of the branching point, if it passes."""
    firsts: dict[int, Found] = {}
    for each in found:
        firsts.setdefault(each.nodes[depth - 1] if depth else 0, each)
    return [each for each in firsts.values() if each.passes]


def _detail(branch: Branch, found: Sequence[Found], nodes: int, passing: int, holds: bool) -> str:
    if not nodes:
        return "no such node"
    if branch.linear_path == DOCUMENT and branch.test.op == "exists":
        return "true of every message"
    if branch.test.op == "at-least":
        return f"found {_nodes(nodes)}{'' if holds else ', too few'}"
    if holds:
        return f"found {_nodes(nodes)}" + ("" if branch.test.op == "exists" else f", {_pass(passing)}")
    failing = [each for each in found if not each.passes]
    first = ", but only the first counts" if branch.first and passing else f", {_pass(passing)}"
    return f"found {_nodes(nodes)}{first} ({_seen(branch, failing)})"


def _seen(branch: Branch, failing: Sequence[Found]) -> str:
    seen = f"seen: {listed(list(dict.fromkeys(each.value or '' for each in failing)))}"
    odd = next((each for each in failing if each.number is None), None) if branch.test.number is not None else None
    return f"{seen}; {shortened(odd.value or '')} is not a number" if odd else seen


def _nodes(count: int) -> str:
    return f"{count} node" if count == 1 else f"{count} nodes"


def _pass(count: int) -> str:
    return f"{count or 'none'} {'pass' if count > 1 else 'passes'}"
