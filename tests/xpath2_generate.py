"""Random filters with functions of XPath 2.0, and messages: what each means is the same to Saxon as to us.

Inside predicates and beside `and` and `or` a function looks at one node, because a processor is free not to come to an
error if something else decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

_TEXTS = ["x", "X", "xY", "Xyz", "abc", "", " ", "12-34", "a.xml", "é", "É", "ß", "2024-01-01", "2024-02-29", "2023-12-31Z",
          "2024-05-01+02:00", "2024-05-01T10:00:00Z", "2024-05-01T12:00:00+02:00", "1.5.2024"]
_CONSTANTS = ["x", "xyz", "XY", "abc", "", "z", ".xml", "é", "SS", "12-34"]
_PATTERNS = ["^x", "[a-z]+$", "^$", "\\d{2}-", "x|y", "(ab|x)c?", "\\.xml$", "^[^0-9]*$", "é"]
_DATES = ["2024-01-01", "2024-02-29", "2024-05-01Z", "2023-12-31-05:00"]
_TIMES = ["2024-05-01T10:00:00Z", "2024-05-01T09:59:59-01:00"]


class XPath2:
    """Draws messages and expressions."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def message(self) -> str:
        return f"<r>{''.join(self._element(0) for _ in range(self._random.choice([0, 1, 1, 2, 3])))}</r>"

    def _element(self, depth: int) -> str:
        name = self._random.choice("abcd")
        attribute = f' x="{self._random.choice(_TEXTS)}"' if self._random.random() < 0.4 else ""
        inside = depth < 2 and self._random.random() < 0.5
        content = "".join(self._element(depth + 1) for _ in range(2)) if inside else self._random.choice(_TEXTS)
        return f"<{name}{attribute}>{content}</{name}>"

    def expression(self) -> str:
        if self._random.random() < 0.4:
            return self._safe(2)
        test = self._test(self._random.choice(["//a", "/r/b", "//c/@x", "//d", "//b[last()]/@x"]))
        return f"not({test})" if self._random.random() < 0.2 else test

    def _safe(self, depth: int) -> str:
        """An expression without errors."""
        pick = self._random.choice
        kind = pick(["and", "or", "not", "count", "test"]) if depth else "test"
        if kind in ("and", "or"):
            return f"({self._safe(depth - 1)} {kind} {self._safe(depth - 1)})"
        if kind == "not":
            return f"not({self._safe(depth - 1)})"
        if kind == "count":
            return f"count(//{pick('abcd')}[{self._inside()}]) = {pick(['1', '2'])}"
        return self._inside(["(//a)[1]", "/r/a[1]", "string(/r)", "(//b)[last()]/@x"])

    def _test(self, path: str) -> str:
        pick, constant = self._random.choice, f"'{self._random.choice(_CONSTANTS)}'"
        some = f"//{pick('abcd')}[{self._inside()}]"
        nodes = path if path.startswith("/") else "."
        return pick([
            f"lower-case({path}) = {constant}", f"upper-case({path}) != {constant}", f"lower-case({path}) = ({constant}, 'x')",
            f"matches({path}, '{pick(_PATTERNS)}')", f"matches({path}, '{pick(_PATTERNS[:4])}', 'i')", f"ends-with({path}, {constant})",
            f"ends-with(lower-case({path}), {constant})", f"exists({some})", f"empty({some})", some, f"{nodes} = ({constant}, 'abc')",
            self._dates(nodes),
        ])

    def _inside(self, nodes: Sequence[str] = (".", "@x", "string(..)")) -> str:
        """A test of one node, without errors."""
        pick, constant = self._random.choice, f"'{self._random.choice(_CONSTANTS)}'"
        node = pick(nodes)
        return pick([
            f"lower-case({node}) = {constant}", f"matches({node}, '{pick(_PATTERNS)}')", f"ends-with({node}, {constant})",
            f"upper-case({node}) = ({constant}, 'X')", f"not(ends-with({node}, {constant}))",
        ])

    def _dates(self, nodes: str) -> str:
        kind, known = self._random.choice([("date", _DATES), ("dateTime", _TIMES)])
        op = self._random.choice(["=", "!=", "<", "<=", ">", ">="])
        return f"xs:{kind}({nodes}) {op} xs:{kind}('{self._random.choice(known)}')"
