"""Random streams and correlations, and a brute-force loop that says what they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from lxml import etree

Message = tuple[str, str, float]
NAMES = ("a", "b", "c")
VALUES = ("1", "1", "2", "x", "10", "")
_OPERATORS = {"=": lambda a, b: a == b, "!=": lambda a, b: a != b}


@dataclass
class Node:
    """A node of a pattern: how it is reached from the one above it, and what hangs below it."""

    step: str
    variable: str = ""
    predicate: str = ""
    children: list[Node] = field(default_factory=list)

    def text(self) -> str:
        inner = "".join(f"[{child.text()}]" for child in self.children)
        bound = f" AS ${self.variable} " if self.variable else ""
        return f"{self.step}{bound}{f'[{self.predicate}]' if self.predicate else ''}{inner}"

    def matches(self, context: Any) -> Iterator[dict[str, Any]]:
        """Each way to bind its variables below a node."""
        predicate = f"[{self.predicate}]" if self.predicate else ""
        for node in context.xpath(f"{self.step}{predicate}"):
            below = [list(child.matches(node)) for child in self.children]
            for chosen in product(*below):
                yield {self.variable: node, **{name: each for part in chosen for name, each in part.items()}}

    def variables(self) -> list[str]:
        own = [self.variable] if self.variable else []
        return [*own, *(name for child in self.children for name in child.variables())]


@dataclass
class Query:
    """A correlation of two blocks."""

    streams: tuple[str, str]
    blocks: tuple[Node, Node]
    joins: list[tuple[str, str, str]]
    operator: str
    window: str
    seconds: float
    shown: list[str]

    @property
    def text(self) -> str:
        select = f"SELECT <o>{{ {', '.join('$' + each for each in self.shown)} }}</o> FROM " if self.shown else ""
        on = " AND ".join(f"${left} {op} ${right}" for left, op, right in self.joins)
        left, right = (f"{stream}{block.text()}" for stream, block in zip(self.streams, self.blocks, strict=True))
        return f"{select}{left} {self.operator} {{ {on}, {self.window} }} {right}"

    def results(self, messages: list[tuple[str, Message]]) -> Counter[tuple[str, str]]:
        """(message published last, output), as often as it is notified."""
        found: Counter[tuple[str, str]] = Counter()
        trees = [(place, stream, message, etree.fromstring(message[1]).getroottree())
                 for place, (stream, message) in enumerate(messages)]
        for left, right in product(trees, trees):
            if left[0] != right[0] and (left[1], right[1]) == self.streams and self._in_time(left[2][2], right[2][2]):
                last = max(left, right, key=lambda each: each[0])[2][0]
                found.update((last, output) for output in self._outputs(left[3], right[3]))
        return found

    def _in_time(self, left: float, right: float) -> bool:
        return 0 < right - left <= self.seconds if self.operator == "FOLLOWED BY" else abs(right - left) <= self.seconds

    def _outputs(self, left: Any, right: Any) -> list[str]:
        shown: dict[tuple[Any, ...], str] = {}
        roots = [block.variable for block in self.blocks]
        for one, other in product(self.blocks[0].matches(left), self.blocks[1].matches(right)):
            bound = {**one, **other}
            if all(holds(bound[a], op, bound[b]) for a, op, b in self.joins):
                nodes = [bound[each] for each in self.shown or roots]
                key = tuple(node.getroottree().getpath(node) for node in nodes)
                name = "o" if self.shown else "match"
                shown[key] = canonical(f"<{name}>{''.join(copied(node) for node in nodes)}</{name}>")
        return list(shown.values())


def holds(left: Any, op: str, right: Any) -> bool:
    a, b = left.xpath("string()"), right.xpath("string()")
    if op in _OPERATORS:
        return bool(_OPERATORS[op](a, b))
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]


def copied(node: Any) -> str:
    return str(etree.tostring(node, encoding="unicode", with_tail=False))


def canonical(text: str) -> str:
    return str(etree.tostring(etree.fromstring(text), method="c14n").decode())


class Streams:
    """Makes messages and correlations."""

    def __init__(self, random: Random, streams: tuple[str, ...] = ("S", "T")) -> None:
        self._random = random
        self._streams = streams
        self._variables = 0

    def messages(self, number: int) -> list[tuple[str, Message]]:
        """Messages of all streams, in the order of arrival; times are not."""
        return [(self._random.choice(self._streams), (f"m{n}", self._element(3), float(self._random.randrange(40))))
                for n in range(number)]

    def _element(self, depth: int) -> str:
        name = self._random.choice(NAMES)
        inner = "".join(self._element(depth - 1) for _ in range(self._random.choice((0, 2, 3, 4)))) if depth else ""
        return f"<{name}>{inner or self._random.choice(VALUES)}</{name}>"

    def query(self) -> Query:
        """A correlation."""
        streams = self._random.choice(self._streams), self._random.choice(self._streams)
        blocks = self._pattern("/", 2), self._pattern("/", 2)
        joins = [self._join(*(block.variables() for block in blocks), "=")]
        for _ in range(self._random.choice((0, 0, 0, 1, 2))):
            op = self._random.choice(("=", "=", "=", "!=", "<", ">="))
            joins.append(self._join(*(block.variables() for block in blocks), op))
        window, seconds = self._random.choice((("10s", 10.0), ("5000ms", 5.0), ("INF", float("inf")), ("1m", 60.0)))
        operator = self._random.choice(("JOIN", "FOLLOWED BY"))
        every = [name for block in blocks for name in block.variables()]
        shown = self._random.sample(every, self._random.randint(1, min(3, len(every)))) if self._random.random() < 0.6 else []
        return Query(streams, blocks, list(dict.fromkeys(joins)), operator, window, seconds, shown)

    def _join(self, left: list[str], right: list[str], op: str) -> tuple[str, str, str]:
        return self._random.choice(left), op, self._random.choice(right)

    def _pattern(self, start: str, depth: int) -> Node:
        self._variables += 1
        variable = f"v{self._variables}"
        slash = self._random.choice(("/", "//", "//", "//")) if start == "/" else self._random.choice(("./", ".//"))
        children = [self._pattern(".", depth - 1) for _ in range(self._random.choice((0, 1, 1, 2)))] if depth else []
        predicate = self._random.choice((*[""] * 12, "b", ".//c = 1", "not(b)", "a = 'x' or c"))
        return Node(f"{slash}{self._random.choice((*NAMES, '*'))}", variable, predicate, children)
