"""Finds conjunctions in normal form that no message can fulfil.

A conjunction that holds has a node for each step of each path that must exist. Several paths may lead to the same
node: the context node, an attribute by name, the root element. All conditions on such a node must hold at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from xpubsub.language.advice.one_node import Fact, clash
from xpubsub.language.xpath.normal import Conjunction, Hop, Item
from xpubsub.language.xpath.syntax import NodeKind, NodeTest, Path, PathStep
from xpubsub.language.xpath.written import Written, quoted, tested

_DOCUMENT = 0
_CHILDLESS = {"attribute": "an attribute", "text": "a text node"}


class MentionedNodes:
    """The nodes that a conjunction mentions, and the facts about each."""

    def __init__(self, written: Written) -> None:
        self._written = written
        self._kinds: list[NodeKind] = ["node"]
        self._labels = ["."]
        self._known: dict[tuple[int, NodeTest | None], int] = {}
        self._roots: list[NodeTest] = []
        self._facts: dict[int, list[Fact]] = {}
        self._there = {_DOCUMENT}
        self.variables: dict[str, int] = {}
        self.impossible: str | None = None
        """A contradiction that was found while reading, if any."""
        self.opposed = False
        """Whether a condition and not() of another would contradict each other if their constants were the same."""

    def conjunction(self, items: Conjunction, context: int = _DOCUMENT) -> None:
        """Add conditions on a node."""
        for item in items:
            self.item(item, context)
        denied = [item for item in items if item.negated]
        for no, yes in itertools.product(denied, (item for item in items if not item.negated)) if denied else ():
            self._oppose(no, yes)

    def item(self, item: Item, context: int = _DOCUMENT) -> int:
        """Add one condition; returns the node at the end of its path."""
        context = _DOCUMENT if item.absolute else self._start(item, context)
        if item.negated:
            self._denied(item, context)
            return context
        for hop in item.hops:
            context = self._hop(hop, context)
            self.conjunction(tuple(each for each in hop.conditions if not each.absolute), context)
        self._say(context, item)
        return context

    def reason(self) -> str | None:
        """Return why the conditions cannot all hold, or None."""
        return self.impossible or next(filter(None, map(self._clash, self._facts)), None)

    def groups(self) -> list[list[Fact]]:
        """Return the facts about each node that has more than one."""
        return [facts for facts in self._facts.values() if len(facts) > 1]

    def _start(self, item: Item, context: int) -> int:
        if item.variable is None:
            return context
        if item.variable not in self.variables:
            self.variables[item.variable] = self._new("node", f"${item.variable}")
        return self.variables[item.variable]

    def _hop(self, hop: Hop, context: int) -> int:
        if hop.axis == "self":
            return context
        kind = self._kinds[context]
        if kind in _CHILDLESS:
            self._cannot(f"{quoted(self._labels[context])} is {_CHILDLESS[kind]}, below which nothing is")
        if hop.axis == "child" and context == _DOCUMENT:
            return self._root(hop.test)
        known = _one_attribute(hop)
        node = self._attribute(hop.test, context) if known else self._new(hop.test.kind, self._written.name(hop.test))
        self._there.add(node)
        return node

    def _root(self, test: NodeTest) -> int:
        if test.kind != "element":
            what = "attributes" if test.kind == "attribute" else "text"
            self._cannot(f"{quoted(self._written.name(test))} stands at the top, where the document has no {what}")
        other = next((each for each in self._roots if _differ(each, test)), None)
        if other is not None:
            names = " and ".join(quoted(self._written.name(each)) for each in (other, test))
            self._cannot(f"the root element cannot be both {names}")
        self._roots.append(test)
        node = self._known.setdefault((_DOCUMENT, None), len(self._kinds))
        if node == len(self._kinds):
            self._new("element", self._written.name(test))
        self._there.add(node)
        return node

    def _attribute(self, test: NodeTest, context: int) -> int:
        node = self._known.setdefault((context, test), len(self._kinds))
        return self._new("attribute", self._written.name(test)) if node == len(self._kinds) else node

    def _new(self, kind: NodeKind, label: str) -> int:
        self._kinds.append(kind)
        self._labels.append(label)
        return len(self._kinds) - 1

    def _denied(self, item: Item, context: int) -> None:
        """Add not() of the context node or one of its attributes; any other not() says too little about one node."""
        if any(hop.conditions for hop in item.hops):
            return
        hops = [hop for hop in item.hops if hop.axis != "self"]
        if not hops:
            self._say(context, item)
            if item.test.op == "exists":
                self._cannot(f"not({'/' if item.absolute else '.'}) is never true")
        elif len(hops) == 1 and _one_attribute(hops[0]) and context != _DOCUMENT:
            self._say(self._attribute(hops[0].test, context), item)

    def _say(self, node: int, item: Item) -> None:
        if item.test.op == "exists" and not item.negated:
            return
        here = "." if item.variable is None else f"${item.variable}"
        label = self._labels[node] if any(hop.axis != "self" for hop in item.hops) else here
        self._facts.setdefault(node, []).append(Fact(label, item.test, item.negated))

    def _clash(self, node: int) -> str | None:
        if node not in self._there and self._kinds[node] == "attribute":
            return None
        absent = next((each for each in self._facts[node] if each.test.op == "exists"), None)
        if absent is not None:
            return f"{quoted(str(absent))} contradicts what else is asked of {quoted(absent.node)}"
        found = clash(self._facts[node])
        return found and f"{quoted(str(found[0]))} and {quoted(str(found[1]))} cannot both hold"

    def _oppose(self, no: Item, yes: Item) -> None:
        if _implies(yes, no):
            self._cannot(f"{quoted(self._shown(no))} denies what another condition asks for")
        elif all(map(_same_step, no.hops, yes.hops)):
            self.opposed = True

    def _shown(self, item: Item) -> str:
        path = Path(item.absolute, tuple(PathStep(hop.axis, hop.test) for hop in item.hops), variable=item.variable)
        return tested(self._written.expression(path), item.test, negated=item.negated)

    def _cannot(self, reason: str) -> None:
        self.impossible = self.impossible or reason


def _one_attribute(hop: Hop) -> bool:
    """Whether a step leads to at most one attribute."""
    return hop.axis == "child" and hop.test.kind == "attribute" and None not in (hop.test.uri, hop.test.local)


def _differ(one: NodeTest, other: NodeTest) -> bool:
    """Whether no element can match both tests."""
    pairs = ((one.uri, other.uri), (one.local, other.local))
    return any(None not in pair and pair[0] != pair[1] for pair in pairs)


def _implies(yes: Item, no: Item) -> bool:
    """Whether one condition requires a node that the other denies."""
    if (yes.absolute, yes.variable) != (no.absolute, no.variable) or len(no.hops) > len(yes.hops):
        return False
    if no.first:
        return yes == replace(no, negated=False)
    tests_agree = no.test.op == "exists" or (no.test == yes.test and len(no.hops) == len(yes.hops))
    return tests_agree and all(map(_includes, no.hops, yes.hops))


def _includes(no: Hop, yes: Hop) -> bool:
    return _same_step(no, yes) and set(no.conditions) <= set(yes.conditions)


def _same_step(no: Hop, yes: Hop) -> bool:
    return (no.axis, no.test) == (yes.axis, yes.test)


def contradiction(ways: Iterable[MentionedNodes]) -> str | None:
    """Return why a disjunction cannot hold (the first conjunction's reason); None if it may."""
    reasons = [nodes.reason() for nodes in ways]
    return reasons[0] if reasons and all(reasons) else None


def conjoined(disjunction: Sequence[Conjunction], written: Written) -> list[MentionedNodes]:
    """Return the nodes of each conjunction."""
    found = []
    for conjunction in disjunction:
        found.append(MentionedNodes(written))
        found[-1].conjunction(conjunction)
    return found
