"""A query as a main module: its prolog, its body, and the places where it names the message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from xpubsub.errors import UnsupportedError
from xpubsub.language.xquery.skeleton import Bracket, Lexeme, Piece, skeleton

FUNCTIONS = "http://www.w3.org/2005/xpath-functions"
_FORBIDDEN = frozenset({
    "doc-available", "collection", "uri-collection", "unparsed-text", "unparsed-text-lines",
    "unparsed-text-available", "json-doc", "environment-variable", "available-environment-variables", "transform",
    "load-xquery-module", "put", "function-lookup",
})
"""Functions that read files, the network or the environment, or find others that do."""
_MESSAGE = frozenset({"doc", "document", "stream"})
"""Functions that mean the message."""
_DECLARED_FIRST = ("variable", "function", "%", "option", "context", "updating")


@dataclass(frozen=True)
class Module:
    """A main module."""

    text: str
    prolog: tuple[tuple[Piece, ...], ...]
    """Its declarations, without the semicolons."""
    body: tuple[Piece, ...]
    messages: tuple[tuple[int, int], ...]
    """Where `doc("…")` and the like stand, which mean the message."""

    @property
    def plain(self) -> bool:
        """Whether no declaration reads the message, so that it can be the argument of a function."""
        started = self.body[0].start
        return all(not _declares(each, "variable") for each in self.prolog) and all(
            start >= started for start, _ in self.messages)

    @property
    def namespaces(self) -> dict[str, str]:
        """The namespaces that the prolog declares; that of elements without a prefix has the empty prefix."""
        found = {}
        for items in self.prolog:
            words = [each.text if isinstance(each, Lexeme) else "" for each in items]
            if words[:2] == ["declare", "namespace"] and len(words) == 5:
                found[words[2]] = words[4][1:-1]
            elif words[:4] == ["declare", "default", "element", "namespace"] and len(words) == 5:
                found[""] = words[4][1:-1]
        return found

    @property
    def second_part(self) -> int:
        """The offset at which variables, functions and the like begin in the prolog, or else the body."""
        return next((each[0].start for each in self.prolog if _declares(each, *_DECLARED_FIRST)), self.body[0].start)

    @property
    def first_part(self) -> int:
        """The offset at which the prolog begins, after the version."""
        versions = [each for each in self.prolog if isinstance(each[0], Lexeme) and each[0].text == "xquery"]
        return self.text.index(";", versions[0][-1].end) + 1 if versions else 0


def read_module(text: str) -> Module:
    """Read a query; what Saxon must not evaluate is refused."""
    *declarations, body = _segments(skeleton(text))
    prolog = tuple(each for each in declarations if each)
    for each in prolog:
        _check_declaration(each, text)
    if not body:
        raise UnsupportedError("a library module is not supported", code="unsupported", text=text)
    calls = list(_calls((*(item for each in prolog for item in each), *body)))
    for name, _ in calls:
        if _function(name) in _FORBIDDEN:
            instead = "a query reads its message and nothing else"
            raise _refused(f"the function {_function(name)}()", instead, name, text)
    messages = [(name, given) for name, given in calls if _function(name) in _MESSAGE]
    return Module(text, prolog, body, tuple(_message(name, given, text, messages) for name, given in messages))


def _segments(items: Iterable[Piece]) -> list[tuple[Piece, ...]]:
    segments: list[list[Piece]] = [[]]
    for item in items:
        if isinstance(item, Lexeme) and item.text == ";" and item.kind == "symbol":
            segments.append([])
        else:
            segments[-1].append(item)
    return [tuple(each) for each in segments]


def _check_declaration(items: tuple[Piece, ...], text: str) -> None:
    words = [each.text if isinstance(each, Lexeme) else "" for each in items]
    if words[0] == "xquery":
        return
    if words[0] == "import" or words[0] == "module":
        raise _refused(f"the prolog's '{words[0]} {words[1]}'", "write declarations into the query", items[0], text)
    if words[0] != "declare":
        raise _refused(f"{text[items[0].start:items[-1].end][:40]!r} before a semicolon",
                       "only a prolog has semicolons", items[0], text)
    if words[1] in ("option", "context"):
        raise _refused(f"the prolog's 'declare {words[1]}'", "the message is the context item, outputs are plain XML",
                       items[0], text)
    if words[1] == "variable" and words[-1] == "external":
        raise _refused("an external variable", "give it a value", items[0], text)


def _calls(items: tuple[Piece, ...]) -> Iterator[tuple[Lexeme, Bracket | None]]:
    """Yield names that are followed by arguments, or by `#` and a number, with the arguments."""
    for item, after in zip_longest(items, items[1:]):
        if isinstance(item, Bracket):
            yield from _calls(item.items)
        elif item.kind == "name" and isinstance(after, Bracket) and after.kind == "(":
            yield item, after
        elif item.kind == "name" and isinstance(after, Lexeme) and after.text == "#":
            yield item, None


def _function(name: Lexeme) -> str:
    """Return the local name of a function of XQuery; empty for others."""
    text = name.text.removeprefix("fn:").removeprefix(f"Q{{{FUNCTIONS}}}")
    return "" if ":" in text or "{" in text else text


def _message(
    name: Lexeme, given: Bracket | None, text: str, all_calls: list[tuple[Lexeme, Bracket | None]]
) -> tuple[int, int]:
    items = () if given is None else given.items
    if given is None or len(items) != 1 or not isinstance(items[0], Lexeme) or items[0].kind != "string":
        instead = 'write doc("…"), which means the message'
        raise _refused(f"{name.text}() of anything but a literal", instead, name, text)
    read = {items[0].text[1:-1] for _, each in all_calls if each is not None
            for items in (each.items,) if len(items) == 1 and isinstance(items[0], Lexeme)}
    if len(read) > 1:
        raise UnsupportedError(
            f"a query of several documents ({', '.join(sorted(read)[:3])}) is not supported: a transformation reads one"
            " message; write a correlation (A JOIN{…} B) to join messages", code="unsupported", text=text,
            offset=name.start)
    return name.start, given.end


def _refused(what: str, instead: str, at: Piece, text: str) -> UnsupportedError:
    return UnsupportedError(f"{what} is not supported: {instead}", code="unsupported", text=text, offset=at.start)


def _declares(items: tuple[Piece, ...], *what: str) -> bool:
    names = [each.text for each in items if isinstance(each, Lexeme)]
    return names[:1] == ["declare"] and any(each in what for each in names[1:2])


def unwritten_prefixes(module: Module, namespaces: Mapping[str, str]) -> dict[str, str]:
    """Return the caller's namespaces that the prolog does not declare itself."""
    return {prefix: uri for prefix, uri in namespaces.items() if prefix and prefix not in module.namespaces}
