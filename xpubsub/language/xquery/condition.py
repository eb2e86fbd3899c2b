"""The necessary condition of a query, as a filter: what `for` and `where` ask for, where it can be read off surely.

Comparisons are those of XQuery: a text that is no number passes, as XQuery raises an error there, which has to be
reported; and a comparison of strings by order says no more than that the nodes exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xpubsub.language.xquery.flowers import Clause, Flower, Letting, Outermost, SideBySide, outermost
from xpubsub.language.xquery.module import Module
from xpubsub.language.xquery.skeleton import Bracket, Lexeme, Piece

_SUBSETS = ("distinct-values", "reverse", "data", "unordered", "subsequence", "head", "tail", "exists", "boolean")
"""Functions that give nothing if their first argument is nothing."""
_CONTAINING = ("contains", "starts-with", "ends-with")
_VALUE_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "is")
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "<<", ">>")
_BRANCHING = ("if", "some", "every", "for", "let", "switch", "typeswitch", "try", "function")
_FAILS = {"=": "not(. < {0}) and not(. > {0})", "<": "not(. >= {0})", "<=": "not(. > {0})", ">": "not(. <= {0})",
          ">=": "not(. < {0})"}
"""A comparison with a number: it holds, or the text is no number as XPath 1.0 writes numbers."""


def necessary_text(module: Module) -> str | None:
    """Return a filter that holds in each message that matches; None if nothing is known."""
    found = outermost(module.body)
    words = [_words(each) for each in module.prolog]
    if any(each[:3] == ["declare", "default", "function"] for each in words):
        return None
    collated = any("collation" in each for each in words)
    if found is None:
        path = _Reader(module, {}, collated)._path(module.body)
        return None if path is None or path.owner is not None else path.text
    return _of_result(found, _Reader(module, {}, collated))


def _of_result(result: Outermost, reader: _Reader) -> str | None:
    match result:
        case Flower():
            return reader.flower(result)
        case Letting(flower, inside):
            within = reader.copied()
            within.read(flower.clauses)
            return _of_result(inside, within)
        case SideBySide(parts, declares):
            if declares is not None:
                return None
            found = [_of_result(each, reader.copied()) for each in parts]
            return None if None in found else " or ".join(f"({each})" for each in found)


@dataclass
class _Node:
    """A variable over nodes of a path, from the message (owner None) or from another variable's nodes."""

    owner: _Node | None
    path: str
    alias: bool
    """Whether it is a `let`, whose nodes need not exist."""
    conditions: list[str] = field(default_factory=list)
    inner: list[_Node] = field(default_factory=list)

    def text(self) -> str:
        """Return the path with all conditions."""
        held = (*self.conditions, *(each.text() for each in self.inner))
        if self.path == ".":
            return " and ".join(f"({each})" for each in held) or "self::node()"
        return self.path + "".join(f"[{each}]" for each in held)


@dataclass(frozen=True)
class _Path:
    """A path as XPath 1.0 writes it: it selects all nodes that the expression does, and perhaps more."""

    owner: _Node | None
    text: str
    whole: bool
    """Whether it selects the nodes of the expression itself."""


@dataclass
class _Reader:
    module: Module
    variables: dict[str, _Node | None]
    collated: bool
    start: str = "/"
    """Where a path that begins with a name starts: at the document, or (empty) at the node of a predicate."""
    roots: list[_Node] = field(default_factory=list)

    def copied(self) -> _Reader:
        """Return a reader that knows the same variables."""
        return _Reader(self.module, dict(self.variables), self.collated)

    def flower(self, flower: Flower) -> str | None:
        """Return what must hold for a binding to survive."""
        self.read(flower.clauses)
        texts = [each.text() for each in self.roots]
        return " and ".join(f"({each})" for each in dict.fromkeys(texts)) or None

    def read(self, clauses: Iterable[Clause]) -> None:
        """Take in clauses, in their order; what follows a grouping or a window is left out."""
        for each in clauses:
            if each.kind in ("window", "other") and not _is_order(each):
                return
            if each.kind == "where":
                self._where(each.items)
            elif each.kind in ("for", "let"):
                self._bind(each)

    def _bind(self, clause: Clause) -> None:
        found = self._message(clause.items) if clause.kind == "let" else None
        found = found or self._path(clause.items)
        node = None
        if found is not None and clause.kind == "let":
            node = _Node(found.owner, found.text, True) if found.whole else None
        elif found is not None:
            node = self._required(found)
            node = node if found.whole else None
        self.variables[clause.variable] = node

    def _message(self, items: tuple[Piece, ...]) -> _Path | None:
        """Return the path of the message itself, if an expression is that."""
        called = len(items) == 2 and any(low == items[0].start for low, _ in self.module.messages)
        root = len(items) == 1 and isinstance(items[0], Lexeme) and items[0].text == "/"
        return _Path(None, "/", True) if called or root else None

    def _required(self, path: _Path) -> _Node:
        """Record that a path must select something."""
        node = _Node(path.owner, path.text, False)
        (self.roots if path.owner is None else path.owner.inner).append(node)
        return node

    def _where(self, items: tuple[Piece, ...]) -> None:
        if any(_is_word(each, "or") for each in items):
            return
        for part in _split(items, "and"):
            if not any(isinstance(each, Lexeme) and each.begins(*_BRANCHING) for each in part):
                self._conjunct(part)

    def _conjunct(self, items: tuple[Piece, ...]) -> None:
        for path, condition in self._tests(items):
            node = self._required(path)
            if condition:
                node.conditions.append(condition)

    def _tests(self, items: tuple[Piece, ...]) -> Iterator[tuple[_Path, str]]:
        """Yield the paths that must select something if a condition holds, each with what must hold of the node."""
        called = _call(items)
        if called is not None:
            name, arguments = called
            if name in ("exists", "boolean") or (name in _CONTAINING and _literal(arguments[1:2])):
                path = self._path(arguments[0])
                yield from () if path is None else ((path, ""),)
            return
        at = next((place for place, each in enumerate(items) if _is_comparison(each)), None)
        if at is None:
            path = self._path(items)
            yield from () if path is None else ((path, ""),)
            return
        operator, sides = items[at].text, (items[:at], items[at + 1 :])  # type: ignore[union-attr]
        for side, other, op in ((sides[0], sides[1], operator), (sides[1], sides[0], _flipped(operator))):
            if (path := self._path(side)) is not None:
                yield path, self._comparison(op, other) if path.whole else ""

    def _comparison(self, op: str, other: tuple[Piece, ...]) -> str:
        if len(other) != 1 or not isinstance(other[0], Lexeme):
            return ""
        constant = other[0]
        plain = not self.collated and not {"&", "\n", "\r"} & set(constant.text)
        if constant.kind == "string" and op == "=" and plain:
            quote, value = constant.text[0], constant.text[1:-1]
            return "" if quote in value else f". = {constant.text}"
        if constant.kind == "number" and "e" not in constant.text.lower():
            return _FAILS.get(op, "").format(constant.text)
        return ""

    def _path(self, items: tuple[Piece, ...]) -> _Path | None:
        """Read an expression as a path; None if it is something else."""
        if not items:
            return None
        called = _call(items)
        if called is not None and called[0] in _SUBSETS:
            inner = self._path(called[1][0])
            return None if inner is None else _Path(inner.owner, inner.text, False)
        first = items[0]
        if isinstance(first, Bracket) and first.kind == "(" and len(items) == 1:
            return self._path(first.items)
        if isinstance(first, Bracket) and first.kind == "(" and _goes_on(items[1]):
            inner = self._path(first.items)
            return None if inner is None else _Path(inner.owner, inner.text, False)
        return self._steps(items)

    def _steps(self, items: tuple[Piece, ...]) -> _Path | None:
        owner, text, at = None, "", 0
        first = items[0]
        if any(low == first.start for low, _ in self.module.messages):
            text, at = "/", 2
        elif not isinstance(first, Lexeme):
            return None
        elif first.kind == "var":
            node = self.variables.get(first.text)
            if node is None:
                return None
            owner, text, at = (node.owner, node.path, 1) if node.alias else (node, ".", 1)
        elif first.kind == "name" or first.text in ("@", "*"):
            text = self.start
        elif first.text in (".", ".."):
            if self.start:
                return None
        elif first.text not in ("/", "//"):
            return None
        return self._followed(owner, text, items, at)

    def _followed(self, owner: _Node | None, text: str, items: tuple[Piece, ...], at: int) -> _Path | None:
        """Add the steps from a place on, as far as they can be read."""
        steps, end = _read_steps(items, at, self._predicate)
        if end < len(items) and not _goes_on(items[end]):
            return None
        joined = _joined(text, steps)
        return None if joined is None else _Path(owner, joined, end == len(items))

    def _predicate(self, items: tuple[Piece, ...]) -> str:
        """Return what must hold of the node if a predicate holds; empty if nothing is known."""
        if any(_is_word(each, "or") for each in items):
            return ""
        within, found = _Reader(self.module, {}, self.collated, ""), []
        for part in _split(items, "and"):
            if any(isinstance(each, Lexeme) and (each.kind == "var" or each.begins(*_BRANCHING)) for each in part):
                continue
            found += [_Node(None, path.text, False, [condition] if condition else []).text()
                      for path, condition in within._tests(part)]
        return "".join(f"[{each}]" for each in found)


def _read_steps(items: tuple[Piece, ...], at: int, predicate: object) -> tuple[str, int]:
    """Return the text of the steps from a place on, and the place where they end."""
    text, expects_step = "", True
    while at < len(items):
        item = items[at]
        if isinstance(item, Bracket):
            if item.kind != "[" or expects_step:
                break
            text += predicate(item.items)  # type: ignore[operator]
        elif item.text in ("/", "//") and item.kind == "symbol":
            if at + 1 >= len(items) or not _is_step(items, at + 1):
                break
            text, expects_step = text + item.text, True
        elif expects_step and _is_step(items, at):
            piece, at = _step(items, at)
            text, expects_step = text + piece, False
            continue
        else:
            break
        at += 1
    return text, at


def _is_step(items: tuple[Piece, ...], at: int) -> bool:
    item = items[at]
    after = items[at + 1] if at + 1 < len(items) else None
    if not isinstance(item, Lexeme):
        return False
    if item.kind == "symbol":
        return item.text in ("*", ".", "..") or (item.text == "@" and after is not None and _is_step(items, at + 1))
    if item.kind != "name" or item.text.startswith("Q{"):
        return False
    if isinstance(after, Lexeme) and after.text == "::":
        return item.text in ("child", "descendant", "attribute", "self", "descendant-or-self", "parent") and (
            at + 2 < len(items) and _is_step(items, at + 2))
    if isinstance(after, Bracket) and after.kind in ("(", "{"):
        return item.text in ("text", "node") and not after.items
    return not (isinstance(after, Lexeme) and after.text == "#")


def _step(items: tuple[Piece, ...], at: int) -> tuple[str, int]:
    """Return the text of a step and the place after it."""
    item = items[at]
    assert isinstance(item, Lexeme)
    after = items[at + 1] if at + 1 < len(items) else None
    if item.text == "@":
        piece, end = _step(items, at + 1)
        return f"@{piece}", end
    if isinstance(after, Lexeme) and after.text == "::":
        piece, end = _step(items, at + 2)
        return f"{item.text}::{piece}", end
    if isinstance(after, Bracket) and after.kind == "(":
        return f"{item.text}()", at + 2
    return item.text, at + 1


def _joined(before: str, steps: str) -> str | None:
    """Join a path and the steps after it; the document alone is in every message."""
    if not steps:
        return None if before in ("", "/") else before
    if before in ("", "/"):
        return steps if steps.startswith("/") else f"{before and '/'}{steps}"
    return f"{before}{steps}" if steps.startswith("/") else None


def _goes_on(item: Piece) -> bool:
    """Whether a path goes on here, in a way that gives nothing where it has given nothing so far."""
    if isinstance(item, Bracket):
        return item.kind == "["
    return item.kind == "symbol" and item.text in ("/", "//", "!")


def _split(items: tuple[Piece, ...], word: str) -> Iterator[tuple[Piece, ...]]:
    start = 0
    for place, each in enumerate(items):
        if _is_word(each, word):
            yield items[start:place]
            start = place + 1
    yield items[start:]


def _call(items: tuple[Piece, ...]) -> tuple[str, list[tuple[Piece, ...]]] | None:
    """Return the name and the arguments if an expression is one call of a function of XQuery."""
    if len(items) != 2 or not isinstance(items[0], Lexeme) or items[0].kind != "name":
        return None
    if not isinstance(items[1], Bracket) or items[1].kind != "(" or not items[1].items:
        return None
    arguments, start = [], 0
    for place, each in enumerate(items[1].items):
        if isinstance(each, Lexeme) and each.text == "," and each.kind == "symbol":
            arguments.append(items[1].items[start:place])
            start = place + 1
    return items[0].text.removeprefix("fn:"), [*arguments, items[1].items[start:]]


def _literal(arguments: list[tuple[Piece, ...]]) -> bool:
    """Whether there is an argument, and it is a string that is not empty."""
    return len(arguments) == 1 and len(arguments[0]) == 1 and isinstance(arguments[0][0], Lexeme) and (
        arguments[0][0].kind == "string" and len(arguments[0][0].text) > 2)


def _is_comparison(item: Piece) -> bool:
    if not isinstance(item, Lexeme) or item.expects:
        return False
    return item.text in (_COMPARISONS if item.kind == "symbol" else _VALUE_COMPARISONS if item.kind == "name" else ())


def _flipped(op: str) -> str:
    return {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op)


def _is_word(item: Piece, word: str) -> bool:
    return isinstance(item, Lexeme) and item.keyword(word)


def _is_order(clause: Clause) -> bool:
    first = clause.items[0] if clause.items else None
    return isinstance(first, Lexeme) and first.text in ("by", "order")


def _words(items: tuple[Piece, ...]) -> list[str]:
    return [each.text for each in items if isinstance(each, Lexeme)]
