"""Calls of the functions of XPath 2.0 that filters may use: their arguments are checked, and some are rewritten."""

from __future__ import annotations

from collections.abc import Mapping

from xpubsub.language.xpath.cursor import Cursor
from xpubsub.language.xpath1.dates import DATE, instant
from xpubsub.language.xpath1.patterns import PatternError, translated_pattern
from xpubsub.language.xpath1.tree import Calling, Chars, XPathTree, type_of

Argument = tuple[int, XPathTree]
"""Where an argument starts, and its tree."""
_PREDECLARED = {"fn": "http://www.w3.org/2005/xpath-functions", "xs": "http://www.w3.org/2001/XMLSchema"}
_EXAMPLES = {DATE: "2024-12-31", "dateTime": "2024-12-31T23:59:59Z"}


def function_name(written: str, namespaces: Mapping[str, str]) -> str:
    """Return the name of a function as this package knows it: without fn:, and with xs: for types."""
    prefix, colon, local = written.rpartition(":")
    uri = namespaces.get(prefix, _PREDECLARED.get(prefix)) if colon else None
    known = {_PREDECLARED["fn"]: local, _PREDECLARED["xs"]: f"xs:{local}"}
    return written if uri is None else known.get(uri, f"{{{uri}}}{local}")


def xpath2_call(cursor: Cursor, name: str, arguments: list[Argument]) -> XPathTree:
    """Return a call of a function of XPath 2.0."""
    if name in ("exists", "empty"):
        return _whether_any(cursor, name, arguments)
    for offset, tree in arguments:
        if type_of(tree) not in ("nodes", "string"):
            reason = f"expected a path or a string as an argument of {name}(), found a {type_of(tree)}"
            raise cursor.syntax(reason, offset, code="XPTY0004")
    if name == "matches":
        return _matches(cursor, arguments)
    trees = tuple(tree for _, tree in arguments)
    kind = name.removeprefix("xs:")
    if name in ("xs:date", "xs:dateTime") and isinstance(trees[0], Chars) and instant(trees[0].value, kind) is None:
        reason = f"{trees[0].value!r} is not an {name}: write it as {_EXAMPLES[kind]}"
        raise cursor.syntax(reason, arguments[0][0], code="FORG0001")
    return Calling(name, trees)


def _whether_any(cursor: Cursor, name: str, arguments: list[Argument]) -> XPathTree:
    [(offset, tree)] = arguments
    if type_of(tree) != "nodes":
        raise cursor.unsupported(f"{name}() of anything but a path", offset)
    return Calling("boolean" if name == "exists" else "not", (tree,))


def _matches(cursor: Cursor, arguments: list[Argument]) -> XPathTree:
    texts = []
    for place, (offset, tree) in enumerate(arguments[1:]):
        if not isinstance(tree, Chars):
            what = "flags" if place else "pattern"
            advice = "write the string, or a variable"
            raise cursor.unsupported(f"a {what} of matches() that is not a string", offset, advice)
        texts.append(tree.value)
    try:
        pattern = translated_pattern(*texts)
    except PatternError as error:
        offset = arguments[2][0] if error.place < 0 else arguments[1][0]
        if error.place >= 0 and cursor.text[offset] in "'\"":
            offset += 1 + error.place
        if error.instead is not None:
            raise cursor.unsupported(error.reason, offset, error.instead) from None
        raise cursor.syntax(f"{error.reason}, in the regular expression", offset, code="FORX0002") from None
    return Calling("matches", (arguments[0][1], Chars(pattern)))


def compared_dates(cursor: Cursor, op: str, offset: int, left: XPathTree, right: XPathTree) -> XPathTree | None:
    """Return a comparison of two dates, or of two times; None if there is none on either side."""
    kinds = {type_of(left), type_of(right)}
    if not kinds & {"date", "dateTime"}:
        return None
    if len(kinds) > 1:
        kind = (kinds & {"date", "dateTime"}).pop()
        advice = f"write xs:{kind}() on both sides, as in //a[xs:{kind}(.) > …]"
        raise cursor.unsupported(f"a comparison of xs:{kind}() with anything else", offset, advice)
    assert isinstance(left, Calling) and isinstance(right, Calling)
    return Calling("compare-dates", (Chars(op), Chars(type_of(left)), *left.arguments, *right.arguments))
