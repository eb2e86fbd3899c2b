"""Paths in programs: linear paths below nodes, predicates, expressions as steps, sets of nodes."""

from __future__ import annotations

from xpubsub.errors import DynamicError
from xpubsub.output.evaluation.functions import effective_truth
from xpubsub.output.evaluation.items import MadeNode, XItem, XItems, XNode, is_number
from xpubsub.output.evaluation.run import Environment, Evaluate, Run

Entries = list[tuple[str, int, str]]
"""Linear paths, each with the step at which its base stands, and the kind of its nodes."""


def followed(start: Evaluate, entries: Entries) -> Evaluate:
    """Return the function that follows linear paths from some nodes."""
    if len(entries) > 1:
        return lambda run, environment: _sorted(
            [node for base in start(run, environment) for node in _below(run, entries, base)])
    [(path, position, kind)] = entries

    def evaluate(run: Run, environment: Environment) -> XItems:
        bases = start(run, environment)
        if len(bases) == 1:
            return run.followed(path, position, kind, _node(bases[0]))
        return _sorted([node for base in bases for node in run.followed(path, position, kind, _node(base))])
    return evaluate


def _below(run: Run, entries: Entries, base: XItem) -> XItems:
    """Return the nodes of several linear paths below a base, in document order."""
    base = _node(base)
    return _sorted([node for entry in entries for node in run.followed(*entry, base)])


def _node(item: XItem) -> XNode:
    if not isinstance(item, XNode):
        raise DynamicError("XPTY0019", "a step from what is not a node")
    return item


def _sorted(nodes: XItems) -> XItems:
    return sorted(set(nodes)) if len(nodes) > 1 else nodes


def each_of(start: Evaluate, entries: Entries, predicates: list[Evaluate]) -> Evaluate:
    """Return the function that filters the nodes below each base on their own, as positions count there."""
    def evaluate(run: Run, environment: Environment) -> XItems:
        found: XItems = []
        for base in start(run, environment):
            nodes = _below(run, entries, base)
            for each in predicates:
                nodes = _passing(nodes, each, run, environment)
            found += nodes
        return _sorted(found)
    return evaluate


def filtered(base: Evaluate, predicate: Evaluate) -> Evaluate:
    """Return the function that keeps the items that pass a predicate."""
    return lambda run, environment: _passing(base(run, environment), predicate, run, environment)


def _passing(items: XItems, predicate: Evaluate, run: Run, environment: Environment) -> XItems:
    if not items:
        return items
    inner, kept = environment.copy(), []
    inner[-1] = len(items)
    for position, item in enumerate(items, 1):
        inner[-3], inner[-2] = item, position
        value = predicate(run, inner)
        if len(value) == 1 and is_number(value[0]) and not isinstance(value[0], XNode):
            passes = value[0] == position
        else:
            passes = effective_truth(value)
        if passes:
            kept.append(item)
    return kept


def at_each_node(start: Evaluate, step: Evaluate) -> Evaluate:
    """Return the function that evaluates an expression at each node: nodes come out in document order."""
    def evaluate(run: Run, environment: Environment) -> XItems:
        nodes = start(run, environment)
        inner, found = environment.copy(), []
        inner[-1] = len(nodes)
        for position, node in enumerate(nodes, 1):
            inner[-3], inner[-2] = _node(node), position
            found += step(run, inner.copy())
        of_nodes = [isinstance(each, XNode) for each in found]
        if all(of_nodes):
            return _sorted(found)
        if any(of_nodes):
            raise DynamicError("XPTY0018", "a step gives nodes and other items")
        if any(isinstance(each, MadeNode) for each in found):
            return found
        return found
    return evaluate


def node_set(op: str, left: Evaluate, right: Evaluate) -> Evaluate:
    """Return the function of `union`, `intersect` or `except`."""
    def evaluate(run: Run, environment: Environment) -> XItems:
        one, other = set(left(run, environment)), set(right(run, environment))
        return sorted(one | other if op == "union" else one & other if op == "intersect" else one - other)
    return evaluate


def node_order(op: str, left: Evaluate, right: Evaluate) -> Evaluate:
    """Return the function of `is`, `<<` or `>>`."""
    def evaluate(run: Run, environment: Environment) -> XItems:
        one, other = left(run, environment), right(run, environment)
        if len(one) > 1 or len(other) > 1:
            raise DynamicError("XPTY0004", f"several nodes are compared by {op}")
        if not one or not other:
            return []
        return [one[0] == other[0] if op == "is" else one[0] < other[0] if op == "<<" else one[0] > other[0]]
    return evaluate
