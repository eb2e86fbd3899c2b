"""Random transformations, for us and for Saxon, and recursive messages for them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Pair = tuple[str, str]
"""The same expression for us and for Saxon."""
NAMES = ("a", "b", "c", "d")
VALUES = ("1", "2", "3", "x", "y z")
DECLARED = (("xmlns:p", "urn:p"), ("xmlns:p", "urn:q"), ("xmlns:q", "urn:q"), ("xmlns:unused", "urn:u"),
            ("xmlns", "urn:d"), ("xmlns", "urn:p"), ("xmlns", ""))
DECLARING = ("", "", ' xmlns:p="urn:q"', ' xmlns="urn:d"', ' xmlns=""', ' xmlns:p="urn:d" xmlns="urn:q"')
LITERAL = (' k="1 &lt; 2"', ' xmlns:p="urn:own" p:k="v"', ' xmlns:q="urn:p" xmlns:p="urn:q" q:z="v"')


class Documents:
    """Elements in elements of the same few names, and attributes; some in namespaces, with prefixes bound anew."""

    def __init__(self, random: Random, *, namespaces: bool = True) -> None:
        self._random = random
        self._namespaces = namespaces
        self._scope: dict[str, str] = {}

    def document(self) -> str:
        self._scope = {}
        return self._tag("r", 0.5, 0, lambda: "".join(self._element(1) for _ in range(self._random.randrange(1, 5))))

    def _element(self, depth: int) -> str:
        name = self._random.choice(NAMES)
        return self._tag(name, 0.15, depth, lambda: "".join(self._piece(depth) for _ in range(self._random.randrange(4))))

    def _tag(self, name: str, probability: float, depth: int, inside: Callable[[], str]) -> str:
        around, declared = self._scope, ""
        if self._namespaces and self._random.random() < probability:
            new = dict(self._random.choices(DECLARED, k=self._random.randrange(1, 3)))
            declared = "".join(f' {prefix}="{uri}"' for prefix, uri in new.items())
            self._scope = {**around, **new}
        if self._random.random() < 0.2 and depth and 'xmlns=""' not in declared:
            name = self._prefixed(name)
        attributes, content = self._attributes(), inside()
        self._scope = around
        tag = f"{name}{declared}{attributes}" if self._random.random() < 0.5 else f"{name}{attributes}{declared}"
        return f"<{tag}>{content}</{name}>" if content else f"<{tag}/>"

    def _prefixed(self, name: str) -> str:
        prefixes = [prefix[6:] for prefix in self._scope if prefix != "xmlns"]
        return f"{self._random.choice(prefixes)}:{name}" if prefixes else name

    def _attributes(self) -> str:
        """Of each prefix in scope perhaps one, but no name twice."""
        names = {(name, ""): name for name in ("x", "y", "k") if self._random.random() < 0.4}
        for prefix, uri in self._scope.items():
            if prefix != "xmlns" and self._random.random() < 0.4:
                names["k", uri] = f"{prefix[6:]}:k"
        return "".join(f' {name}="{self._value()}"' for name in names.values())

    def _piece(self, depth: int) -> str:
        if depth < 5 and self._random.random() < 0.7:
            return self._element(depth + 1)
        extra = self._random.choice(("", "", "", "<!-- > -->", "<?pi > ?>", "<![CDATA[<]]>", "&amp;"))
        return self._value() + extra

    def _value(self) -> str:
        return self._random.choice(VALUES)


class Transformations:
    """FLWR expressions, nested, with predicates and conditions; every other one is loose: much is bound."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._variables = 0
        self._loose = False

    def transformation(self) -> tuple[str, str, str]:
        """For us; for Saxon; and for Saxon, whether anything is bound."""
        self._variables, self._loose = 0, self._random.random() < 0.5
        ours, theirs, bound = self._papers() if self._random.random() < 0.15 else self._outermost()
        if self._random.random() < 0.5:
            return f"<out>{{ {ours} }}</out>", f"<out>{{ {theirs} }}</out>", bound
        return ours, theirs, bound

    def _outermost(self) -> tuple[str, str, str]:
        """One FLWR or some, with paths before and behind, perhaps in parentheses."""
        flwrs = [self._flwr([], [], 0) for _ in range(1 + (self._random.random() < 0.2))]
        items: list[Pair] = []
        for ours, theirs, _ in flwrs:
            items += [self._absolute()] * (self._random.random() < 0.15)
            items.append((ours, theirs) if self._random.random() < 0.8 else (f"({ours})", f"({theirs})"))
        items += [self._absolute()] * (self._random.random() < 0.2)
        ours, theirs = _joined(items)
        bound = " or ".join(bound for _, _, bound in flwrs)
        return (ours, theirs, bound) if self._random.random() < 0.7 else (f"({ours})", f"({theirs})", bound)

    def _papers(self) -> tuple[str, str, str]:
        """A FLWR whose `return` has no parentheses; what stands last in it names one of its variables."""
        scope, (clause, clause_theirs), extra = self._clauses([], [])
        items = [self._item(scope, extra, 0) for _ in range(self._random.randrange(1, 4))]
        ours, theirs = _joined([*items, self._from_variable([*scope, *extra])])
        return f"{clause} return {ours}", f"{clause_theirs} return ({theirs})", f"exists({clause_theirs} return 1)"

    def _flwr(self, scope: list[str], extra: list[str], depth: int) -> tuple[str, str, str]:
        scope, (clause, clause_theirs), extra = self._clauses(scope, extra)
        ours, theirs = self._result(scope, extra, depth)
        return f"{clause} return {ours}", f"{clause_theirs} return {theirs}", f"exists({clause_theirs} return 1)"

    def _clauses(self, scope: list[str], extra: list[str]) -> tuple[list[str], Pair, list[str]]:
        """The variables of `for` in scope, the clauses, and the variables of `let` in scope."""
        scope = list(scope)
        bindings = [self._binding(scope, extra) for _ in range(1 + (self._random.random() < 0.3))]
        clause = "for " + ", ".join(ours for ours, _ in bindings)
        clause_theirs = "for " + ", ".join(theirs for _, theirs in bindings)
        if self._random.random() < 0.2:
            name, (path, path_theirs) = f"l{self._next()}", self._from_variable(scope)
            clause, clause_theirs = (f"{each} let ${name} := {value}" for each, value in
                                     ((clause, path), (clause_theirs, path_theirs)))
            extra = [*extra, name]
        if self._random.random() < (0.2 if self._loose else 0.6):
            where, where_theirs = self._condition([*scope, *extra], 0)
            clause, clause_theirs = f"{clause} where {where}", f"{clause_theirs} where {where_theirs}"
        return scope, (clause, clause_theirs), extra

    def _next(self) -> int:
        self._variables += 1
        return self._variables

    def _binding(self, scope: list[str], extra: list[str]) -> Pair:
        name = f"v{self._next()}"
        ours, theirs = self._from_variable([*scope, *extra]) if scope and self._random.random() < (0.97 if self._loose else 0.85) else self._absolute()
        scope.append(name)
        return f"${name} in {ours}", f"${name} in {theirs}"

    def _absolute(self) -> Pair:
        start = self._random.choice(("/r", "//", "//", "/r//", "/r/", '/*/'))
        if not start.endswith("/"):
            return start, start
        ours, theirs = self._relative(1)
        prefix = self._random.choice(("", 'doc("m")')) if start.startswith("/") else ""
        return f"{prefix}{start}{ours}", f"{start}{theirs}"

    def _from_variable(self, scope: list[str]) -> Pair:
        variable, slash = self._random.choice(scope), self._random.choice(("/", "/", "//"))
        ours, theirs = self._relative(1)
        return f"${variable}{slash}{ours}", f"${variable}{slash}{theirs}"

    def _relative(self, predicates: int) -> Pair:
        steps = [self._step(predicates) for _ in range(self._random.randrange(1, 3))]
        slashes = [self._random.choice(("/", "/", "//")) for _ in steps[1:]] + [""]
        return ("".join(step[0] + slash for step, slash in zip(steps, slashes, strict=True)),
                "".join(step[1] + slash for step, slash in zip(steps, slashes, strict=True)))

    def _step(self, predicates: int) -> Pair:
        name = self._random.choice((*NAMES, *NAMES, "*", "*:a", "*:b", "*:c", *["*"] * (8 if self._loose else 0)))
        if predicates and self._random.random() < (0.1 if self._loose else 0.3):
            ours, theirs = self._test(predicates - 1)
            return f"{name}[{ours}]", f"{name}[{theirs}]"
        return name, name

    def _test(self, predicates: int) -> Pair:
        """A condition inside a predicate."""
        ours, theirs = self._random.choice((("@x", "@x"), ("@y", "@y"), (".", "."), self._relative(predicates)))
        return self._compared(ours, theirs)

    def _compared(self, ours: str, theirs: str) -> Pair:
        kind = self._random.randrange(6)
        if kind == 0:
            return f"not({ours})", f"not({theirs})"
        if kind == 1 and ours != ".":
            return ours, theirs
        if kind < 4:
            value, op = self._random.choice(VALUES), self._random.choice(("=", "!="))
            return f'{ours} {op} "{value}"', f'{theirs} {op} "{value}"'
        op, number = self._random.choice(("<", "<=", ">", ">=", "=", "!=")), self._random.randrange(1, 4)
        return f"{ours} {op} {number}", f"(some $z in {theirs} satisfies number($z) {op} {number})"

    def _condition(self, scope: list[str], depth: int) -> Pair:
        kind = self._random.random()
        if depth < 2 and kind < 0.35:
            word = self._random.choice(("and", "or"))
            left, right = self._condition(scope, depth + 1), self._condition(scope, depth + 1)
            return f"({left[0]} {word} {right[0]})", f"({left[1]} {word} {right[1]})"
        if depth < 2 and kind < 0.45:
            ours, theirs = self._condition(scope, depth + 1)
            return f"not({ours})", f"not({theirs})"
        ours, theirs = self._from_variable(scope) if self._random.random() < 0.8 else self._attribute(scope)
        return self._compared(ours, theirs)

    def _attribute(self, scope: list[str]) -> Pair:
        path = f"${self._random.choice(scope)}/@{self._random.choice('xy')}"
        return path, path

    def _result(self, scope: list[str], extra: list[str], depth: int) -> Pair:
        """An element, one item, or several in parentheses; for us also in the papers' braces."""
        if self._random.random() < 0.6:
            return self._element(scope, extra, depth)
        ours, theirs = self._items(scope, extra, depth)
        if self._random.random() < 0.2:
            return self._item(scope, extra, depth)
        return (f"({ours})" if self._random.random() < 0.7 else f"{{ {ours} }}"), f"({theirs})"

    def _items(self, scope: list[str], extra: list[str], depth: int) -> Pair:
        return _joined([self._item(scope, extra, depth) for _ in range(self._random.randrange(1, 4))])

    def _element(self, scope: list[str], extra: list[str], depth: int) -> Pair:
        name, literal = self._random.choice(("e", "f")), self._random.choice((*DECLARING, *LITERAL))
        if "xmlns:p=" in literal and self._random.random() < 0.3:
            name = f"p:{name}"
        ours = theirs = self._copied_attributes(scope, literal) if self._random.random() < 0.4 else ""
        for _ in range(self._random.randrange(3)):
            if self._random.random() < 0.25:
                ours, theirs = f"{ours} text {{{{", f"{theirs} text {{{{"
            part = self._items(scope, extra, depth)
            ours, theirs = f"{ours}{{ {part[0]} }}", f"{theirs}{{ {part[1]} }}"
        return f"<{name}{literal}>{ours}</{name}>", f"<{name}{literal}>{theirs}</{name}>"

    def _copied_attributes(self, scope: list[str], literal: str) -> str:
        """Attributes with names that cannot be the same, nor those of the literal ones."""
        one, other = (f"${self._random.choice(scope)}" for _ in range(2))
        forms = [f"{{ {one}/@x }}", f"{{ {one}/@x, {other}/@y }}", f"{{ ({other}/@y[. != 'x']) }}"]
        if literal in DECLARING:
            forms += [f"{{ {one}/@* }}", f"{{ {one}/@*:k }}", f"{{ {one}/@*[. != '1'] }}"]
        if "xmlns:p=" in literal and literal in DECLARING:
            forms += [f"{{ {one}/@p:k, {other}/@k }}", f"{{ {other}/@p:* }}"]
        return self._random.choice(forms)

    def _item(self, scope: list[str], extra: list[str], depth: int) -> Pair:
        """Something in a sequence: a comma may stand before and behind it, so a FLWR ends there."""
        kind = self._random.random()
        if depth < 2 and kind < (0.4, 0.3)[depth]:
            ours, theirs, _ = self._flwr(scope, extra, depth + 1)
            return (ours, theirs) if self._random.random() < 0.7 else (f"({ours})", f"({theirs})")
        if kind < 0.45:
            name, slash = f"v{self._next()}", self._random.choice(("/", "//"))
            both = f"for ${name} in ${self._random.choice(scope)}{slash}@{self._random.choice(('x', '*:k', '*'))} return <g>{{ ${name} }}</g>"
            return both, both
        if kind < 0.5:
            return self._element(scope, extra, depth + 1) if depth < 3 else ("()", "()")
        if kind < 0.65:
            variable = f"${self._random.choice([*scope, *extra])}"
            return variable, variable
        ours, theirs = self._from_variable([*scope, *extra])
        return (f"{ours}/text()", f"{theirs}/text()") if self._random.random() < 0.2 else (ours, theirs)


def _joined(items: list[Pair]) -> Pair:
    return ", ".join(ours for ours, _ in items), ", ".join(theirs for _, theirs in items)
