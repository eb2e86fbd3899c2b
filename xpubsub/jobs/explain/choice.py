"""Reports, for one assignment of messages to the blocks of a correlation, which comparisons and windows hold."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xpubsub.jobs.explain.blocks import BlockEvidence
from xpubsub.jobs.explain.explanation import BranchReport, QueryReport
from xpubsub.jobs.explain.readable import Names, listed, shortened
from xpubsub.language.xpath.numbers import to_number
from xpubsub.language.xpath.syntax import Path, name_of
from xpubsub.language.xscl.patterns import JoinPatterns, operand_name
from xpubsub.language.xscl.syntax import Comparison, Correlation, Operator

Assignment = tuple[int, ...]
"""For each block, the index of its message among those given, from 0."""
_ORDER: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}


@dataclass(frozen=True)
class Chosen:
    """An assignment of messages to blocks, with the evidence and times of the messages."""

    choice: Assignment
    patterns: JoinPatterns
    evidence: Sequence[BlockEvidence]
    """For each block, what its message contains."""
    times: Mapping[int, float]
    """The times of the messages by index; a rejected message may have none."""
    untimed: frozenset[int]
    """The indexes of messages that were given without a time."""
    names: Names

    def report(self, tree: Correlation, matches: bool) -> QueryReport:
        """Report each comparison and each window; `matches` says whether publishing produced a match."""
        branches = tuple(self._branches(tree))
        title = ", ".join(f"message {place + 1} as block {block}" for block, place in enumerate(self.choice, start=1))
        apart = None
        if not matches and all(branch.holds for branch in branches) and all(each in self.times for each in self.choice):
            apart = "each comparison holds for some nodes, but not for nodes that belong together"
        return QueryReport(matches, branches, apart, f"{title}, {'match' if matches else 'do not match'}")

    def _branches(self, tree: Correlation) -> list[BranchReport]:
        """Report the operators from left to right, each with its comparisons and its window."""
        reports: list[BranchReport] = []
        for block, each in enumerate(tree.operators, start=1):
            reports += map(self._comparison, each.comparisons)
            if all(place in self.times for place in self.choice[: block + 1]):
                reports.append(self._window(each, block))
        return reports

    def _comparison(self, comparison: Comparison) -> BranchReport:
        sides = [self._operand(path) for path in (comparison.left, comparison.right)]
        (_, left), (_, right) = sides
        pair = _pair(comparison.op, left, right)
        text = f"{self._written(comparison.left)} {comparison.op} {self._written(comparison.right)}"
        if pair is not None:
            same = pair[0] == pair[1]
            detail = f"{shortened(pair[0])} in both" if same else " and ".join(map(shortened, pair))
        else:
            seen = "; ".join(f"{who} has {listed(values) or 'none'}" for who, values in sides)
            detail = seen + _odd(comparison.op, left + right)
        return BranchReport(text, pair is not None, len(left) + len(right), 0 if pair is None else 2, detail)

    def _operand(self, path: Path) -> tuple[str, list[str]]:
        node = self.patterns.variables[operand_name(path)]
        blocks = self.patterns.blocks
        block = next(n for n, each in enumerate(blocks) if any(one.number == node for one in each.nodes))
        return f"message {self.choice[block] + 1}", self.evidence[block].values(node)

    def _written(self, path: Path) -> str:
        named = ((step.axis, self.names.step(name_of(step.test))) for step in path.steps)
        return f"${path.variable}" + "".join(("//" if axis == "descendant" else "/") + name for axis, name in named)

    def _window(self, each: Operator, block: int) -> BranchReport:
        """Report the window between the latest message so far and the next one."""
        before = max(self.choice[:block], key=lambda place: self.times[place])
        after = self.choice[block]
        apart = self.times[after] - self.times[before]
        within = "at any time" if math.isinf(each.window) else f"within {duration(each.window)}"
        followed = each.kind == "followed by"
        holds = 0 < apart <= each.window if followed else abs(apart) <= each.window
        order = ", but must be later" if followed and apart <= 0 else ""
        how = f"{duration(abs(apart))} {'later' if apart > 0 else 'earlier'} than" if apart else "at the same time as"
        arrival = " (without a time, that of arrival counts)" if {before, after} & self.untimed else ""
        detail = f"message {after + 1} is {how} message {before + 1}{order}{arrival}"
        return BranchReport(f"{each.kind.upper()} {within}", holds, 1, int(holds), detail)


def _pair(op: str, left: list[str], right: list[str]) -> tuple[str, str] | None:
    """Return two values for which a comparison holds, or None."""
    if op == "=":
        common = set(right)
        return next(((value, value) for value in left if value in common), None)
    if op == "!=":
        return next(((a, b) for a in left for b in right if a != b), None)
    numbers = [(b, number) for b in right if (number := to_number(b)) is not None]
    known = ((a, number) for a in left if (number := to_number(a)) is not None)
    return next(((a, b) for a, x in known for b, y in numbers if _ORDER[op](x, y)), None)


def _odd(op: str, values: list[str]) -> str:
    """For `<`, `<=`, `>` and `>=`: name a value that is not a number."""
    odd = next((value for value in values if op in _ORDER and to_number(value) is None), None)
    return "" if odd is None else f"; {shortened(odd)} is not a number"


def duration(length: float) -> str:
    """Format a length of time in seconds, to the microsecond."""
    return f"{length:.6f}".rstrip("0").rstrip(".") + " s"
