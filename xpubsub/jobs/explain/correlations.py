"""Explains whether messages match a correlation: which could be which block, and how their values and times compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from operator import itemgetter

from xpubsub.errors import Error, LimitError
from xpubsub.jobs.explain.alone import AskedMessage, rejected, store_of
from xpubsub.jobs.explain.blocks import BlockEvidence, BlockFilter, block_filter
from xpubsub.jobs.explain.choice import Assignment, Chosen
from xpubsub.jobs.explain.explanation import Elsewhere, Explanation, QueryReport, Unreadable
from xpubsub.jobs.explain.near_misses import NearMisses, all_tagpaths
from xpubsub.jobs.explain.readable import Names
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.publisher import Publisher
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.times import seconds
from xpubsub.language.xscl.parser import parse_xscl
from xpubsub.language.xscl.patterns import JoinPatterns, join_patterns
from xpubsub.language.xscl.syntax import Correlation
from xpubsub.limits import Limits
from xpubsub.shred.reading import Refused
from xpubsub.step import file_step
from xpubsub.store.listing import Shown
from xpubsub.store.store import Store

CORRELATED_FROM, CORRELATED_OUTPUTS = file_step("correlated_from"), file_step("correlated_docs")
MOST_CHOICES = 12
"""How many assignments of messages to blocks are reported."""


@dataclass
class _Carried:
    """The results of publishing the messages one after the other."""

    outputs: list[str] = field(default_factory=list)
    choices: dict[Assignment, None] = field(default_factory=dict)
    """The matches: for each, which message was which block."""
    times: dict[int, float] = field(default_factory=dict)
    refused: Unreadable | None = None

    def take(self, result: Result, store: Store, messages: Sequence[AskedMessage]) -> None:
        """Record the results of a batch while its relations exist."""
        self.refused = self.refused or rejected(result, lambda number: _name(int(number), messages))
        self.outputs += result.notifications["output"].to_pylist()
        rows = store.rows(CORRELATED_FROM)
        places = {row["docid"]: int(row["message_id"]) for row in rows}
        self.times.update({int(row["message_id"]): row["time"] for row in rows})
        for row in store.rows(CORRELATED_OUTPUTS):
            self.choices[tuple(places[docid] for docid in row["docs"])] = None


def explain_correlation(shown: Shown, messages: Sequence[AskedMessage], limits: Limits) -> Explanation:
    """Publish the messages one after the other in a temporary store, and explain the result."""
    tree = parse_xscl(shown.text, shown.namespaces, limits)
    if len(messages) not in (1, len(tree.blocks)):
        count = len(tree.blocks)
        wanted = "1 message" if count == 1 else f"1 message or {count}"
        raise Error(f"{shown.subscription_id!r} has {count} block{'s' * (count > 1)}: "
                    f"give {wanted} to explain, not {len(messages)}")
    carried = _carry_out(shown, messages, limits)
    reports: tuple[QueryReport, ...] = ()
    notes = [] if len(messages) == len(tree.blocks) or carried.refused else [_partner(len(tree.blocks))]
    try:
        told = _Told(shown, tree, messages, limits)
        reports = (*told.blocks(), *told.choices(carried))
    except Refused:
        pass
    except LimitError as error:
        notes.append(error.reason)
    return Explanation(
        shown.subscription_id, shown.text, bool(carried.outputs), reports, carried.refused, notes=tuple(notes),
        outputs=tuple(carried.outputs))


def _partner(blocks: int) -> str:
    return f"a match takes {blocks} messages, one for each block: explain them together to see whether they match"


def _carry_out(shown: Shown, messages: Sequence[AskedMessage], limits: Limits) -> _Carried:
    given = {number: asked.time for number, asked in enumerate(messages) if asked.time is not None}
    carried = _Carried(times={number: seconds(time) for number, time in given.items()})
    with store_of(shown, limits) as store:
        publisher = Publisher(store, limits)
        numbered = ((str(number), asked.xml, asked.time, asked.stream) for number, asked in enumerate(messages))
        for stream, batch in groupby(numbered, key=itemgetter(3)):
            with publisher.matched(Batch([each[:3] for each in batch], stream)) as result:
                carried.take(result, store, messages)
    return carried


def _name(number: int, messages: Sequence[AskedMessage]) -> str:
    return "the message" if len(messages) == 1 else f"message {number + 1}"


class _Told:
    """Reports what the messages contain for the blocks."""

    def __init__(self, shown: Shown, tree: Correlation, messages: Sequence[AskedMessage], limits: Limits) -> None:
        self._tree = tree
        self._messages = messages
        self._names = Names(shown.namespaces)
        self._patterns: JoinPatterns = join_patterns(tree, shown.text, limits)
        joins = (join for operator in self._patterns.operators for join in operator.joins)
        compared = {node for join in joins for node in (join.left, join.right)}
        filters = [block_filter(number, block, compared, shown.text, limits)
                   for number, block in enumerate(self._patterns.blocks, start=1)]
        near_misses = [NearMisses(all_tagpaths(asked.xml, limits), self._names) for asked in messages]
        self._evidence = [
            [self._of(each, place, near_misses[place], limits) for place in range(len(messages))] for each in filters]

    def _of(self, block: BlockFilter, place: int, near_misses: NearMisses, limits: Limits) -> BlockEvidence:
        asked, reads = self._messages[place], block.block.stream
        elsewhere = None
        if asked.stream != reads:
            elsewhere = Elsewhere(reads, asked.stream, False, _name(place, self._messages))
        return BlockEvidence(block, asked.xml, elsewhere, near_misses, limits)

    def blocks(self) -> Iterator[QueryReport]:
        """Report each message against each block."""
        for evidence in self._evidence:
            for place, each in enumerate(evidence):
                yield from each.reports(_name(place, self._messages))

    def choices(self, carried: _Carried) -> Iterator[QueryReport]:
        """Report the assignments of messages to blocks: those that match, then those that could."""
        if len(self._evidence) == 1 or len(self._messages) != len(self._evidence):
            return
        listed = dict.fromkeys([*carried.choices, *islice(self._possible(()), MOST_CHOICES)])
        for choice in islice(listed, MOST_CHOICES):
            evidence = [self._evidence[block][place] for block, place in enumerate(choice)]
            told = Chosen(choice, self._patterns, evidence, carried.times, self._untimed(), self._names)
            yield told.report(self._tree, choice in carried.choices)

    def _untimed(self) -> frozenset[int]:
        return frozenset(place for place, asked in enumerate(self._messages) if asked.time is None)

    def _possible(self, chosen: Assignment) -> Iterator[Assignment]:
        """Yield the assignments of distinct messages to blocks in which each message could be its block."""
        if len(chosen) == len(self._evidence):
            yield chosen
            return
        for place, each in enumerate(self._evidence[len(chosen)]):
            if place not in chosen and each.fits:
                yield from self._possible((*chosen, place))
