"""Random streams and correlations, and a brute-force loop that says what they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, product
from random import Random
from typing import Any

from lxml import etree

Message = tuple[str, str, float]
NAMES = ("a", "b", "c")
VALUES = ("1", "1", "2", "x", "10", "")
FINITE = (("10s", 10.0), ("5000ms", 5.0))
WINDOWS = (*FINITE, ("INF", float("inf")), ("1m", 60.0))
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
        for node in _path(f"{self.step}{predicate}")(context):
            below = [list(child.matches(node)) for child in self.children]
            for chosen in product(*below):
                yield {self.variable: node, **{name: each for part in chosen for name, each in part.items()}}

    def variables(self) -> list[str]:
        own = [self.variable] if self.variable else []
        return [*own, *(name for child in self.children for name in child.variables())]


@dataclass
class Operator:
    """What must hold between the blocks so far and the next."""

    kind: str
    joins: list[tuple[str, str, str]]
    window: str
    seconds: float

    @property
    def text(self) -> str:
        on = " AND ".join(f"${left} {op} ${right}" for left, op, right in self.joins)
        return f"{self.kind} {{ {on}, {self.window} }}"

    def in_time(self, before: float, after: float) -> bool:
        apart = after - before
        return 0 < apart <= self.seconds if self.kind == "FOLLOWED BY" else abs(apart) <= self.seconds


@dataclass
class Query:
    """A correlation of two blocks or more."""

    streams: tuple[str, ...]
    blocks: tuple[Node, ...]
    operators: list[Operator]
    shown: list[str]

    @property
    def text(self) -> str:
        select = f"SELECT <o>{{ {', '.join('$' + each for each in self.shown)} }}</o> FROM " if self.shown else ""
        first, *blocks = (f"{stream}{block.text()}" for stream, block in zip(self.streams, self.blocks, strict=True))
        rest = (f" {operator.text} {block}" for operator, block in zip(self.operators, blocks, strict=True))
        return f"{select}{first}{''.join(rest)}"

    def results(self, messages: list[tuple[str, Message]]) -> Counter[tuple[str, str]]:
        """(message published last, output), as often as it is notified."""
        found: Counter[tuple[str, str]] = Counter()
        trees = [tree_of(message[1]) for _, message in messages]
        matches = [[list(block.matches(tree)) for tree in trees] for block in self.blocks]
        for chosen in self._in_time([(stream, message[2]) for stream, message in messages]):
            last = messages[max(chosen)][1][0]
            bound = [matches[block][place] for block, place in enumerate(chosen)]
            found.update((last, output) for output in self._outputs(bound))
        return found

    def _in_time(self, messages: list[tuple[str, float]]) -> list[tuple[int, ...]]:
        """All choices of different messages, by their places, that have the right streams and times."""
        chosen: list[tuple[int, ...]] = [()]
        for block, stream in enumerate(self.streams):
            chosen = [
                (*before, place) for before in chosen for place, (of, time) in enumerate(messages)
                if of == stream and place not in before and (
                    not block or self.operators[block - 1].in_time(max(messages[each][1] for each in before), time))]
        return chosen

    def _outputs(self, matches: list[list[dict[str, Any]]]) -> list[str]:
        shown: dict[tuple[Any, ...], str] = {}
        roots = [block.variable for block in self.blocks]
        for bound in self._bound(matches):
            nodes = [bound[each] for each in self.shown or roots]
            key = tuple(node.getroottree().getpath(node) for node in nodes)
            name = "o" if self.shown else "match"
            shown[key] = canonical(f"<{name}>{''.join(copied(node) for node in nodes)}</{name}>")
        return list(shown.values())

    def _bound(self, matches: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
        """The ways to bind all variables so that all comparisons hold."""
        found, *rest = matches
        for operator, others in zip(self.operators, rest, strict=True):
            found = [{**one, **other} for one in found for other in others
                     if all(holds(one[a], op, other[b]) for a, op, b in operator.joins)]
        return found


@cache
def tree_of(xml: str) -> Any:
    return etree.fromstring(xml).getroottree()


@cache
def _path(text: str) -> Any:
    return etree.XPath(text)


@cache
def value_of(node: Any) -> str:
    """The string value of a node; its tree is kept by `tree_of`, so the node stays the same."""
    return str(_path("string()")(node))


def holds(left: Any, op: str, right: Any) -> bool:
    a, b = value_of(left), value_of(right)
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


def _variables(blocks: tuple[Node, ...]) -> list[str]:
    return [name for block in blocks for name in block.variables()]


class Streams:
    """Makes messages and correlations."""

    def __init__(
        self, random: Random, streams: tuple[str, ...] = ("S", "T"), windows: tuple[tuple[str, float], ...] = WINDOWS
    ) -> None:
        self._random = random
        self._streams = streams
        self._windows = windows
        self._variables = 0

    def messages(self, number: int) -> list[tuple[str, Message]]:
        """Messages of all streams, in the order of arrival; times are not."""
        return [(self._random.choice(self._streams), (f"m{n}", self._element(3), float(self._random.randrange(40))))
                for n in range(number)]

    def _element(self, depth: int) -> str:
        name = self._random.choice(NAMES)
        inner = "".join(self._element(depth - 1) for _ in range(self._random.choice((0, 2, 3, 4)))) if depth else ""
        return f"<{name}>{inner or self._random.choice(VALUES)}</{name}>"

    def query(self, blocks: int = 2) -> Query:
        """A correlation of so many blocks."""
        streams = tuple(self._random.choice(self._streams) for _ in range(blocks))
        patterns = tuple(self._pattern("/", 2 if blocks == 2 else 1) for _ in range(blocks))
        operators = [self._operator(patterns[:place], patterns[place]) for place in range(1, blocks)]
        every = _variables(patterns)
        shown = self._random.sample(every, self._random.randint(1, min(3, len(every)))) if self._random.random() < 0.6 else []
        return Query(streams, patterns, operators, shown)

    def queries(
        self, number: int, messages: list[tuple[str, Message]], least: int, most: int = 40, blocks: int = 2
    ) -> list[Query]:
        """Correlations that find so much in messages; fewer if such are rare."""
        drawn = (self.query(blocks) for _ in range(400))
        return list(islice((query for query in drawn if least <= query.results(messages).total() <= most), number))

    def _operator(self, left: tuple[Node, ...], right: Node) -> Operator:
        joins = [self._join(_variables(left), right.variables(), "=")]
        for _ in range(self._random.choice((0, 0, 0, 1, 2))):
            op = self._random.choice(("=", "=", "=", "!=", "<", ">="))
            joins.append(self._join(_variables(left), right.variables(), op))
        window, seconds = self._random.choice(self._windows)
        return Operator(self._random.choice(("JOIN", "FOLLOWED BY")), list(dict.fromkeys(joins)), window, seconds)

    def _join(self, left: list[str], right: list[str], op: str) -> tuple[str, str, str]:
        return self._random.choice(left), op, self._random.choice(right)

    def _pattern(self, start: str, depth: int) -> Node:
        self._variables += 1
        variable = f"v{self._variables}"
        slash = self._random.choice(("/", "//", "//", "//")) if start == "/" else self._random.choice(("./", ".//"))
        children = [self._pattern(".", depth - 1) for _ in range(self._random.choice((0, 1, 1, 2)))] if depth else []
        predicate = self._random.choice((*[""] * 12, "b", ".//c = 1", "not(b)", "a = 'x' or c"))
        return Node(f"{slash}{self._random.choice((*NAMES, '*'))}", variable, predicate, children)
