"""Random expressions from the whole grammar of XPath 1.0, with a count of the productions used."""

from __future__ import annotations

from collections import Counter
from random import Random

AXES = ["ancestor", "ancestor-or-self", "attribute", "child", "descendant", "descendant-or-self", "following",
        "following-sibling", "namespace", "parent", "preceding", "preceding-sibling", "self"]
_STRINGS = ["'1'", "'2'", "'abc'", "'ab'", "'b'", "''", "' '", "'a'", "'x&y'", "\"it's\"", "'3'", "'p:a'", "'urn:x'"]
_NUMBERS = ["0", "1", "2", "3", "1.5", "-1", "10", ".5", "2.", "0.5"]
_COMPARE = ["=", "=", "=", "!=", "<", "<=", ">", ">="]


class WholeGrammar:
    """Draws expressions; `features` counts the axes, tests, functions and operators used."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.features: Counter[str] = Counter()

    def expression(self) -> str:
        """Any expression; most are boolean, as filters are."""
        kind = self._pick(["boolean"] * 7 + ["nodes"] * 3 + ["string", "number"])
        return str(getattr(self, f"_{kind}")(3))

    def _pick(self, choices: list[str]) -> str:
        return self._random.choice(choices)

    def _used(self, feature: str) -> str:
        self.features[feature] += 1
        return feature

    def _boolean(self, depth: int) -> str:
        kinds = ["compare"] * 6 + ["nodes"] * 3 + ["text", "text", "truth"]
        kind = self._pick(kinds + ["and", "or", "not", "not", "boolean"] * 2 if depth > 0 else kinds)
        if kind in ("and", "or"):
            parts = [self._boolean(depth - 1) for _ in range(self._random.choice([2, 2, 3]))]
            return "(" + f" {self._used(kind)} ".join(parts) + ")"
        if kind in ("not", "boolean"):
            inner = self._boolean(depth - 1) if kind == "not" or self._random.random() < 0.5 else self._any(depth - 1)
            return f"{self._used(kind)}({inner})"
        if kind == "text":
            name = self._used(self._pick(["contains", "starts-with", "starts-with", "lang"]))
            one = self._pick(["nodes", "nodes", "string"])
            if name == "lang":
                return "lang('en')"
            return f"{name}({getattr(self, f'_{one}')(depth - 1)}, {self._string(0)})"
        if kind == "truth":
            return self._used(self._pick(["true", "false"])) + "()"
        return self._compare(depth) if kind == "compare" else self._nodes(depth)

    def _compare(self, depth: int) -> str:
        op = self._used(self._pick(_COMPARE))
        if depth > 0 and self._random.random() < 0.2:
            name = self._used(self._pick(["count", "count", "string", "number", "normalize-space", "string-length"]))
            return f"{name}({self._nodes(depth - 1)}) {op} {self._constant()}"
        left = self._nodes(depth) if self._random.random() < 0.6 else self._any(depth - 1)
        right = self._constant() if self._random.random() < 0.65 else self._any(depth - 1)
        left, right = (right, left) if self._random.random() < 0.2 else (left, right)
        return f"({left} {op} {right})" if self._random.random() < 0.5 else f"{left} {op} {right}"

    def _constant(self) -> str:
        return self._pick(_STRINGS if self._random.random() < 0.5 else _NUMBERS)

    def _any(self, depth: int) -> str:
        kind = self._pick(["nodes", "nodes", "string", "number", "boolean"])
        return f"({self._boolean(depth)})" if kind == "boolean" else str(getattr(self, f"_{kind}")(depth))

    def _string(self, depth: int) -> str:
        if depth <= 0 or self._random.random() < 0.35:
            return self._pick(_STRINGS)
        name = self._used(self._pick([
            "string", "string", "concat", "substring", "substring-before", "substring-after", "normalize-space",
            "normalize-space", "translate", "name", "local-name", "local-name", "namespace-uri"]))
        some = self._any(depth - 1)
        nodes = self._nodes(depth - 1)
        arguments = {
            "string": [some, nodes, nodes, ""], "concat": [f"{nodes}, {self._string(depth - 1)}", f"{some}, 'x', ''"],
            "substring": [f"{nodes}, {self._pick(_NUMBERS)}", f"{some}, 1, {self._pick(_NUMBERS)}"],
            "normalize-space": [nodes, some, ""], "translate": [f"{nodes}, 'ab1', 'AB'"],
            "name": [nodes, ""], "local-name": [nodes, "", ""], "namespace-uri": [nodes, ""],
        }.get(name, [f"{nodes}, {self._pick(_STRINGS)}"])
        return f"{name}({self._pick(arguments)})"

    def _number(self, depth: int) -> str:
        if depth <= 0 or self._random.random() < 0.3:
            return self._pick(_NUMBERS)
        name = self._pick(["count"] * 4 + ["sum", "number", "number", "string-length", "string-length", "floor",
                                           "ceiling", "round", "last", "position", "+", "-", "*", "div", "mod", "minus"])
        self._used(name)
        if name in ("+", "-", "*", "div", "mod"):
            return f"({self._number(depth - 1)} {name} {self._any(depth - 1)})"
        if name == "minus":
            return f"-({self._any(depth - 1)})"
        if name in ("last", "position"):
            return f"{name}()"
        if name in ("floor", "ceiling", "round"):
            return f"{name}({self._any(depth - 1)})"
        if name in ("number", "string-length") and self._random.random() < 0.3:
            return f"{name}({self._any(depth - 1)})" if self._random.random() < 0.5 else f"{name}()"
        return f"{name}({self._nodes(depth - 1)})"

    def _nodes(self, depth: int) -> str:
        roll = self._random.random()
        if depth > 0 and roll < 0.08:
            self._used("|")
            return f"({self._nodes(depth - 1)} | {self._nodes(depth - 1)})"
        if depth > 0 and roll < 0.16:
            self._used("filter expression")
            rest = "/" + self._steps(depth - 1) if self._random.random() < 0.5 else ""
            return f"({self._nodes(depth - 1)})[{self._predicate(depth - 1)}]{rest}"
        if roll < 0.18:
            self._used("id")
            return "id('1')"
        if roll < 0.24:
            return self._used(self._pick([".", "(/)", "..", ".//.", "//."]))
        start = self._pick(["/", "//", "//", "//", "", "", "", ".//", "../"])
        return start + self._steps(depth)

    def _steps(self, depth: int) -> str:
        steps = [self._step(depth) for _ in range(self._random.choice([1, 1, 2, 2, 3]))]
        path = steps[0]
        for step in steps[1:]:
            path += self._pick(["/", "/", "/", "//"]) + step
        return path

    def _step(self, depth: int) -> str:
        if self._random.random() < 0.06:
            return self._used(self._pick([".", ".."]))
        axis = self._pick(["child"] * 10 + ["attribute"] * 4 + ["descendant", "self", "self", "parent"] + AXES)
        self._used(f"{axis}::")
        test = self._pick(["a", "b", "c", "a", "b", "*", "*", "p:a", "p:*", "text()", "node()", "comment()",
                           "processing-instruction()", "processing-instruction('i')"])
        if axis == "attribute":
            test = self._pick(["x", "y", "x", "p:x", "*", "node()"])
        self._used(test if "(" in test or "*" in test else "name")
        short = {"child": "", "attribute": "@"}.get(axis, f"{axis}::")
        head = (short if self._random.random() < 0.8 else f"{axis}::") + test
        while depth > 0 and self._random.random() < 0.3:
            head += f"[{self._predicate(depth - 1)}]"
        return head

    def _predicate(self, depth: int) -> str:
        roll = self._random.random()
        self._used("predicate")
        if roll < 0.12:
            return self._used(self._pick(["1", "1", "2", "last()"]))
        if roll < 0.2:
            return f"position() {self._pick(_COMPARE)} {self._pick(['1', '2', 'last()'])}"
        if roll < 0.26:
            return self._any(depth)
        return self._boolean(depth)
