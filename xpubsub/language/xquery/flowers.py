"""The outermost FLWORs of a query, whose bindings decide whether a message matches.

They are those in the places of the result: the body, content of constructors, parts of a sequence, and what a FLWOR
with nothing but `let` returns. A FLWOR in an argument, a condition or a path is not outermost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xpubsub.language.xquery.skeleton import Bracket, Lexeme, Piece

_COMPUTED = ("element", "document", "ordered", "unordered", "validate", "attribute", "text", "comment")
_OTHERS = ("if", "some", "every", "switch", "typeswitch", "try", "function", "map", "array")


@dataclass(frozen=True)
class Clause:
    """A clause of a FLWOR: `for`, `let`, `where`, or another; the variable of `for` or `let`, and the expression."""

    kind: str
    items: tuple[Piece, ...]
    variable: str = ""


@dataclass(frozen=True)
class Flower:
    """A FLWOR: its clauses and what it returns."""

    clauses: tuple[Clause, ...]
    returned: tuple[Piece, ...]
    start: int
    end: int
    """Where the clauses begin and end."""

    @property
    def binds(self) -> bool:
        """Whether a `for` binds its variables, so that bindings may survive or not."""
        return any(each.kind in ("for", "window") for each in self.clauses)


@dataclass(frozen=True)
class SideBySide:
    """Places of the result side by side, one of which must give something."""

    parts: tuple[Outermost, ...]
    declares: Bracket | None = None
    """The constructor around them that declares namespaces, if any."""


@dataclass(frozen=True)
class Letting:
    """A FLWOR with nothing but `let`, and the outermost FLWORs in what it returns."""

    flower: Flower
    inside: Outermost


Outermost = Flower | SideBySide | Letting


def outermost(items: tuple[Piece, ...]) -> Outermost | None:
    """Return the outermost FLWORs of an expression; None if it has none."""
    parts = [found for part in _sequence(items) if (found := _single(part)) is not None]
    return SideBySide(tuple(parts)) if len(parts) > 1 else parts[0] if parts else None


def constructs(items: tuple[Piece, ...]) -> bool:
    """Whether an expression is a direct constructor, which is never empty."""
    return len(items) == 1 and isinstance(items[0], Bracket) and items[0].kind == "<"


def _sequence(items: tuple[Piece, ...]) -> Iterator[tuple[Piece, ...]]:
    """Yield the parts between commas; commas inside a FLWOR's clauses are none."""
    start, at = 0, 0
    while at < len(items):
        flower_end = _clauses_end(items, at)
        if flower_end is not None:
            at = flower_end
        elif _symbol(items[at], ","):
            yield items[start:at]
            start = at + 1
        at += 1
    yield items[start:]


def _single(items: tuple[Piece, ...]) -> Outermost | None:
    if not items:
        return None
    flower = read_flower(items)
    if flower is not None:
        if flower.binds:
            return flower
        inside = outermost(flower.returned)
        return None if inside is None else Letting(flower, inside)
    first, *rest = items
    if isinstance(first, Bracket) and not rest and first.kind in ("(", "<"):
        return _inside(first)
    if isinstance(first, Lexeme) and first.begins(*_COMPUTED) and isinstance(items[-1], Bracket) and len(items) <= 3:
        return _inside(items[-1])
    return None


def _inside(group: Bracket) -> Outermost | None:
    if group.kind != "<":
        return outermost(group.items)
    parts = [found for each in group.items if isinstance(each, Bracket) and each.kind in ("{", "<")
             if (found := _inside(each)) is not None]
    if not parts:
        return None
    return SideBySide(tuple(parts), group if group.declares else None)


def read_flower(items: tuple[Piece, ...]) -> Flower | None:
    """Return the FLWOR that begins with the first item, if one does."""
    end = _clauses_end(items, 0)
    if end is None:
        return None
    clauses = tuple(_clauses(items[:end]))
    return Flower(clauses, items[end + 1 :], items[0].start, items[end].start)


def _clauses_end(items: tuple[Piece, ...], at: int) -> int | None:
    """Return the place of the `return` of a FLWOR that begins at a place; None if none does."""
    if not _begins_flower(items, at):
        return None
    waiting: list[str] = []
    for place in range(at + 1, len(items)):
        item = items[place]
        if not isinstance(item, Lexeme):
            continue
        if _begins_flower(items, place):
            waiting.append("return")
        elif item.begins("switch", "typeswitch") and _is_group(items, place + 1, "("):
            waiting.append("default")
        elif waiting and item.keyword("case"):
            waiting.append("return")
        elif waiting and item.keyword("default") and "default" in waiting:
            waiting.remove("default")
            waiting.append("return")
        elif item.text == "return" and item.kind == "name" and _operator(items, place):
            if not waiting:
                return place
            waiting.pop()
    return None


def _operator(items: tuple[Piece, ...], place: int) -> bool:
    """Whether a `return` is the keyword and not a name."""
    before = items[place - 1]
    default = isinstance(before, Lexeme) and before.text == "default"
    item = items[place]
    return isinstance(item, Lexeme) and (not item.expects or default)


def _begins_flower(items: tuple[Piece, ...], at: int) -> bool:
    item, after = items[at], items[at + 1] if at + 1 < len(items) else None
    if not isinstance(item, Lexeme) or not item.begins("for", "let") or not isinstance(after, Lexeme):
        return False
    return after.kind == "var" or (item.text == "for" and after.text in ("tumbling", "sliding"))


def _clauses(items: tuple[Piece, ...]) -> Iterator[Clause]:
    """Yield the clauses of a FLWOR, given the items before its `return`."""
    starts = [place for place in range(len(items)) if _starts_clause(items, place)]
    for start, end in zip(starts, [*starts[1:], len(items)], strict=True):
        yield from _clause(items[start:end])


def _starts_clause(items: tuple[Piece, ...], place: int) -> bool:
    if place == 0:
        return True
    item, after = items[place], items[place + 1] if place + 1 < len(items) else None
    if _nested(items[:place]) or not isinstance(item, Lexeme):
        return False
    variable = isinstance(after, Lexeme) and after.kind == "var"
    if item.kind == "symbol":
        return item.text == "," and variable
    window = isinstance(after, Lexeme) and after.text in ("tumbling", "sliding")
    by = isinstance(after, Lexeme) and after.text in ("by", "order")
    return (item.keyword("for", "let", "count") and variable) or (item.keyword("for") and window) or (
        item.keyword("where")) or (item.keyword("order", "stable", "group") and by)


def _nested(before: tuple[Piece, ...]) -> bool:
    """Whether a FLWOR without parentheses has begun in a clause and not come to its `return`."""
    depth = 0
    for place in range(1, len(before)):
        if _begins_flower(before, place):
            depth += 1
        elif isinstance(before[place], Lexeme) and before[place].keyword("return"):  # type: ignore[union-attr]
            depth = max(0, depth - 1)
    return depth > 0


def _clause(items: tuple[Piece, ...]) -> Iterator[Clause]:
    first = items[0]
    assert isinstance(first, Lexeme)
    if first.text in ("for", "let", ","):
        names = [each for each in items[1:2] if isinstance(each, Lexeme) and each.kind == "var"]
        bound = next((place for place, each in enumerate(items)
                      if isinstance(each, Lexeme) and (each.text == ":=" or each.keyword("in"))), None)
        plain = bound == 2 or (bound == 4 and isinstance(items[2], Lexeme) and items[2].keyword("at"))
        kind = "let" if bound is not None and items[bound].text == ":=" else "for"  # type: ignore[union-attr]
        if not names or bound is None:
            yield Clause("window", items)
        else:
            yield Clause(kind, items[bound + 1 :] if plain else (), names[0].text)
    else:
        yield Clause("where" if first.text == "where" else "other", items[1:])


def _is_group(items: tuple[Piece, ...], place: int, kind: str) -> bool:
    item = items[place] if place < len(items) else None
    return isinstance(item, Bracket) and item.kind == kind


def _symbol(item: Piece, text: str) -> bool:
    return isinstance(item, Lexeme) and item.kind == "symbol" and item.text == text
