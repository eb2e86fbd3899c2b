"""Builds the conjunctive query of a join template (Hong 2007, section 4.4): shared values, tree edges, times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from xpubsub.language.xscl.templates import Edge, Template

_COMPARE = {"!=": "{left}.value <> {right}.value"}
"""SQL of comparisons other than `=`, by operator; operators not listed compare numbers."""


class ConjunctiveQuery:
    """Builds one query for all correlations of a template, or for some of them."""

    def __init__(self, template: Template, members: str, values: str, above: str) -> None:
        self._template = template
        self._members = members
        self._values = values, above
        """The relations of shared values: between nodes, and between the nodes above them where these are enough."""
        self._lifted = template.lifted if above else ()
        self._block = {number: block for block, (start, parents) in enumerate(_numbered(template), start=1)
                       for number in range(start, start + len(parents))}
        self._node: dict[int, str] = {}
        """SQL expression of the node of each meta-variable."""
        self._doc: dict[int, str] = {}
        """SQL expression of the message of each block."""
        self._joins: list[str] = []
        self._where: list[str] = []

    def sql(self) -> str:
        """Return the query: one row for each way in which messages fulfil a correlation."""
        self._joined_values() if self._template.edges else self._alone()
        for block, (start, parents) in enumerate(_numbered(self._template), start=1):
            self._structure(block, start, parents)
        self._node.update({number: "cast(null as integer)" for number in self._unseen()})
        self._times()
        self._where += [self._residual(number, edge) for number, edge in enumerate(self._template.edges)
                        if edge.op != "="]
        blocks = range(1, len(self._template.trees) + 1)
        nodes = ", ".join(self._node[number] for number in range(1, self._template.size + 1))
        where = f"\nwhere {' and '.join(self._where)}" if self._where else ""
        return (f"-- One row: nodes of messages that fulfil a correlation of the template {self._template.text}.\n"
                f"select t.correlation_id, [{', '.join(self._doc[block] for block in blocks)}] as docs,"
                f" {_latest(self._doc[block] for block in blocks)} as last,"
                f" {_latest(f'd{block}.time' for block in blocks)} as time, [{nodes}] as nodes\n"
                f"from {self._joins[0]}\n" + "\n".join(self._joins[1:]) + where)

    def _alone(self) -> None:
        """For a single block, which joins nothing: select its nodes in the messages of the batch."""
        self._joins += ["rbin_w as e1", f"join {self._members} as t on e1.var1 = 0 and e1.var2 = t.var1"]
        self._node[1], self._doc[1] = "e1.node2", "e1.docid"

    def _joined_values(self) -> None:
        """Join on the equalities: first between two blocks, then each with a block that is already joined."""
        first, *waiting = (edge for edge in self._template.edges if edge.op == "=")
        on = self._same_values("e1", first)
        self._joins += [f"{self._relation(first)} as e1", f"join {self._members} as t on {on}"]
        while waiting:
            edge = next(each for each in waiting if self._reached(each))
            waiting.remove(edge)
            name = f"e{len(self._joins)}"
            self._joins.append(f"join {self._relation(edge)} as {name} on {self._same_values(name, edge)}")

    def _relation(self, edge: Edge) -> str:
        return self._values[edge in self._lifted]

    def _unseen(self) -> set[int]:
        """Return the meta-variables whose nodes the query does not read."""
        return {number for edge in self._lifted for number in (edge.left, edge.right)}

    def _reached(self, edge: Edge) -> bool:
        return self._block[edge.left] in self._doc or self._block[edge.right] in self._doc

    def _same_values(self, name: str, edge: Edge) -> str:
        """Return the join condition on a relation of shared values for an equality."""
        on = [f"{name}.var_left = t.var{edge.left}", f"{name}.var_right = t.var{edge.right}"]
        for place, side in ((edge.left, "left"), (edge.right, "right")):
            on += _same(self._doc, self._block[place], f"{name}.doc_{side}")
            if edge in self._lifted:
                above = self._template.parent(place)
                on += [f"{name}.up_{side} = t.var{above}", *_same(self._node, above, f"{name}.at_{side}")]
            else:
                on += _same(self._node, place, f"{name}.node_{side}")
        return " and ".join(on)

    def _structure(self, block: int, start: int, parents: Sequence[int]) -> None:
        """Join the edges of a tree, from its leaves up, so that a node is known before its parent."""
        edges = "joined_edge" if self._template.edges else "rbin_w"
        for child in range(start + len(parents) - 1, start - 1, -1):
            if (parent := parents[child - start]) and child not in self._unseen():
                name = f"s{child}"
                on = [f"{name}.docid = {self._doc[block]}", f"{name}.var1 = t.var{parent}",
                      f"{name}.var2 = t.var{child}"]
                on += _same(self._node, child, f"{name}.node2") + _same(self._node, parent, f"{name}.node1")
                self._joins.append(f"join {edges} as {name} on {' and '.join(on)}")

    def _times(self) -> None:
        """Add the windows of the operators: each is between the latest message so far and the next."""
        blocks = range(1, len(self._template.trees) + 1)
        self._joins += [f"join message_time as d{block} on d{block}.docid = {self._doc[block]}" for block in blocks]
        for place in blocks[:-1]:
            before, after = _latest(f"d{block}.time" for block in blocks[:place]), f"d{place + 1}.time"
            self._where.append(
                f"case when t.followed{place} then {after} > {before} and {after} - {before} <= t.wl{place}"
                f" else abs({after} - {before}) <= t.wl{place} end")
        if len(blocks) > 2:
            self._where += [f"({' or '.join(f'd{block}.fresh' for block in blocks)})", *self._different()]

    def _different(self) -> Iterator[str]:
        """Yield conditions that all messages differ; messages that share a value do already."""
        joined = {(self._block[edge.left], self._block[edge.right]) for edge in self._template.edges if edge.op == "="}
        for pair in combinations(self._doc, 2):
            if tuple(sorted(pair)) not in joined:
                yield f"{self._doc[pair[0]]} <> {self._doc[pair[1]]}"

    def _residual(self, number: int, edge: Edge) -> str:
        left, right = f"v{number}", f"w{number}"
        for name, place in ((left, edge.left), (right, edge.right)):
            on = f"{name}.docid = {self._doc[self._block[place]]} and {name}.node = {self._node[place]}"
            self._joins.append(f"join joined_value as {name} on {on}")
        compare = _COMPARE.get(edge.op, f"{{left}}.number {edge.op} {{right}}.number")
        return compare.format(left=left, right=right)


def _numbered(template: Template) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each tree with the number of its first meta-variable."""
    start = 1
    for parents in template.trees:
        yield start, parents
        start += len(parents)


def _same(known: dict[int, str], key: int, expression: str) -> list[str]:
    """Return a condition that the expression equals the known one; if none is known, record it."""
    if key in known:
        return [f"{expression} = {known[key]}"]
    known[key] = expression
    return []


def _latest(expressions: Iterator[str]) -> str:
    each = list(expressions)
    return f"greatest({', '.join(each)})" if len(each) > 1 else each[0]
