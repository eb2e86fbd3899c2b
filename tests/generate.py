"""Random messages and expressions over a small vocabulary, so that they often meet; with a count of features."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

NAMESPACES = {"p": "urn:x", "q": "urn:y"}
_NAMES = "abc"
_TEXTS = ["1", "2", "3", "10", "-1", "1.5", " 2 ", "\t3\n", "abc", "ab", "b", "NaN", "inf", "+1", ".5", "5.", "-.5",
          "1 2", "0", "-0", "x&amp;y", "&#65;", "é", "v1", "00012", " "]
_CONSTANTS = ["1", "2", "10", "1.5", "abc", "ab", "b", "NaN", "", "x&y", "A", "é", " 2 ", "v1", "12", "a"]
_NUMBERS = ["0", "1", "2", "3", "10", "1.5", "-1", ".5", "5.", "-0", "12", "- 1", "0.50"]


class Messages:
    """Random well-formed messages."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def message(self) -> str:
        root = self._element(0)
        name = re.match(r"<[\w:]+", root)[0]
        return f'{name} xmlns:p="urn:x" xmlns:q="urn:y"{root[len(name):]}'

    def _element(self, depth: int) -> str:
        name = self._random.choice(["", "", "", "", "p:", "q:"]) + self._random.choice(_NAMES)
        redeclared = depth and self._random.random() < 0.06
        declared = self._random.choice([' xmlns="urn:x"', ' xmlns=""']) if redeclared else ""
        head = f"{name}{declared}{self._attributes()}"
        content = "".join(self._piece(depth) for _ in range(self._random.choice([0, 1, 1, 2, 2, 3, 4])))
        return f"<{head}>{content}</{name}>" if content or self._random.random() < 0.5 else f"<{head}/>"

    def _attributes(self) -> str:
        names = [name for name in ("x", "y", "p:x") if self._random.random() < 0.25]
        self._random.shuffle(names)
        return "".join(f' {name}="{self._random.choice(_TEXTS)}"' for name in names)

    def _piece(self, depth: int) -> str:
        kind = self._random.random()
        if kind < 0.5 and depth < 5:
            return self._element(depth + 1)
        if kind < 0.86:
            return self._random.choice(_TEXTS)
        return self._random.choice(["<!--c-->", "<?i n?>", "<![CDATA[1]]>", "<![CDATA[]]>", "<![CDATA[a<b]]>"])


class Expressions:
    """Random supported expressions, each as (ours, lxml's); `features` counts what was used."""

    def __init__(self, random: Random, default: str | None = None, branching: bool = False) -> None:
        self._random = random
        self._default = default
        self._branching = branching
        self.features: Counter[str] = Counter()

    def expression(self) -> tuple[str, str]:
        return self._boolean(0, "document")

    def _boolean(self, depth: int, place: str) -> tuple[str, str]:
        roll = self._random.random()
        if depth < 3 and roll < 0.16:
            return self._combine("and", depth, place)
        if depth < 3 and roll < 0.26:
            return self._combine("or", depth, place)
        if depth < 4 and roll < 0.38:
            return self._wrapped("not", depth, place)
        if roll < 0.52:
            return self._call(depth, place)
        if roll < 0.85:
            return self._compare(depth, place)
        if roll < 0.87:
            return self._constant()
        self._count("existence")
        return self._path(depth, place)

    def _count(self, feature: str) -> None:
        self.features[feature] += 1

    def _combine(self, operator: str, depth: int, place: str) -> tuple[str, str]:
        self._count(operator)
        parts = [self._boolean(depth + 1, place) for _ in range(self._random.choice([2, 2, 3]))]
        word = operator.upper() if self._branching and self._random.random() < 0.5 else operator
        ours, theirs = f" {word} ".join(part[0] for part in parts), f" {operator} ".join(part[1] for part in parts)
        return f"({ours})", f"({theirs})"

    def _wrapped(self, name: str, depth: int, place: str) -> tuple[str, str]:
        self._count(name + "()" + (" in a predicate" if place == "predicate" else ""))
        ours, theirs = self._boolean(depth + 1, place)
        return f"{name}({ours})", f"{name}({theirs})"

    def _constant(self) -> tuple[str, str]:
        self._count("constant")
        text = self._random.choice(["1 = 1", "'a' = 'b'", "2 < 1", "'x'", "''", "'1' = 1", "contains('ab', 'b')"])
        return f"({text})", f"({text})"

    def _call(self, depth: int, place: str) -> tuple[str, str]:
        name = self._random.choice(["contains", "starts-with"])
        self._count(f"{name}()")
        ours, theirs = self._path(depth, place)
        constant = self._quoted(self._random.choice([*_CONSTANTS, "1", "a", "b"]))
        return f"{name}({ours}, {constant})", f"{name}({theirs}, {constant})"

    def _compare(self, depth: int, place: str) -> tuple[str, str]:
        ours, theirs = self._path(depth, place)
        operator = self._random.choice(["=", "=", "!=", "<", "<=", ">", ">="])
        numeric = self._random.random() < 0.5
        constant = self._random.choice(_NUMBERS) if numeric else self._quoted(self._random.choice(_CONSTANTS))
        self._count(f"{operator} {'number' if numeric else 'string'}")
        if self._random.random() < 0.25:
            self._count("constant on the left")
            return f"{constant} {operator} {ours}", f"{constant} {operator} {theirs}"
        return f"{ours} {operator} {constant}", f"{theirs} {operator} {constant}"

    def _quoted(self, text: str) -> str:
        return f'"{text}"' if "'" in text or self._random.random() < 0.3 else f"'{text}'"

    def _path(self, depth: int, place: str) -> tuple[str, str]:
        if self._random.random() < (0.15 if place == "predicate" else 0.02):
            self._count("self (.)")
            return ".", "."
        start_ours, start_theirs = self._start(place)
        steps = [self._step(depth) for _ in range(self._random.choice([1, 1, 2, 2, 3]))]
        if self._random.random() < 0.4:
            steps.append(self._leaf(depth))
        ours, theirs = steps[0]
        for step_ours, step_theirs in steps[1:]:
            slash = self._slash()
            ours, theirs = ours + slash + step_ours, theirs + slash + step_theirs
        return start_ours + ours, start_theirs + theirs

    def _slash(self) -> str:
        slash = self._random.choice(["/", "/", "/", "//", "/./"])
        self._count({"/": "child", "//": "descendant", "/./": "self step"}[slash])
        return slash

    def _start(self, place: str) -> tuple[str, str]:
        if place == "predicate" and self._branching:
            return self._random.choice([("", ""), ("/", ""), ("//", ".//"), (".//", ".//")])
        if place == "predicate":
            start = self._random.choice(["", "", "", "", ".//", "./", "/", "//"])
            self._count({"/": "absolute in a predicate", "//": "absolute in a predicate"}.get(start, "relative path"))
        else:
            start = self._random.choice(["/", "/", "//", "//", "//", "", ".//"])
            self._count("absolute path" if start.startswith("/") else "relative path at the top")
        return start, start

    def _step(self, depth: int) -> tuple[str, str]:
        local = self._random.choice(_NAMES)
        kind = self._random.choice(["name"] * 6 + ["*", "*", "p:name", "p:*", "*:name", "child::"])
        self._count(f"step {kind}")
        prefixed = f"{self._default}:{local}" if self._default else local
        ours, theirs = {
            "name": (local, prefixed), "*": ("*", "*"), "p:name": (f"p:{local}", f"p:{local}"),
            "p:*": ("q:*", "q:*"), "*:name": (f"*:{local}", f"*[local-name()='{local}']"),
            "child::": (f"child::{local}", f"child::{prefixed}"),
        }[kind]
        return self._predicates(ours, theirs, depth, 0.3)

    def _leaf(self, depth: int) -> tuple[str, str]:
        leaf = self._random.choice(["text()", "text()", "@x", "@y", "@*", "@p:x", "@p:*", "@*:x"])
        self._count(f"step {leaf}")
        theirs = "@*[local-name()='x']" if leaf == "@*:x" else leaf
        return self._predicates(leaf, theirs, depth, 0.15)

    def _predicates(self, ours: str, theirs: str, depth: int, probability: float) -> tuple[str, str]:
        while depth < 3 and self._random.random() < probability:
            kind = "text()" if ours.startswith("text") else "an attribute" if ours[0] == "@" else "an element"
            self._count(f"predicate on {kind}")
            self._count(f"predicates nested {depth + 1} deep")
            inner_ours, inner_theirs = self._boolean(depth + 1, "predicate")
            ours, theirs = f"{ours}[{inner_ours}]", f"{theirs}[boolean({inner_theirs})]"
        return ours, theirs
