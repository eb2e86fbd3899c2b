"""Random queries of the whole language that transformations have, for us and for Saxon.

They differ in comparisons alone: with a number, and by order, values of nodes are compared as numbers, as in filters.
"""

from __future__ import annotations

from random import Random

from tests.flwr_generate import NAMES, VALUES, Pair

STRINGS = ("1", "x", "y z", "", "é&amp;", "10")
_FLIP = ("<", "<=", ">", ">=")


def both(text: str) -> Pair:
    return text, text


def joined(template: str, *pairs: Pair) -> Pair:
    """A template with holes `{}`, filled for us and for Saxon."""
    return template.format(*(ours for ours, _ in pairs)), template.format(*(theirs for _, theirs in pairs))


class Queries:
    """Queries by the kinds of their values: nodes, numbers, strings, truth values, content."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._variables = 0
        self._nodes: list[str] = []
        self._numbers: list[str] = []
        self._values: list[str] = []

    def query(self) -> tuple[str, str, str]:
        """For us; for Saxon; and for Saxon, whether anything is bound."""
        self._variables, self._nodes, self._numbers, self._values = 0, [], [], []
        if self._random.random() < 0.1:
            ours, theirs = joined("<out>{{ {}, count({}) }}</out>", self._number(2), self._path(2))
            return ours, theirs, "true()"
        (clauses, clauses_theirs), result = self._clauses(2), self._result(2)
        ours, theirs = f"{clauses} return {result[0]}", f"{clauses_theirs} return {result[1]}"
        bound = f"exists({clauses_theirs} return 1)"
        if self._random.random() < 0.4:
            return f"<out>{{ {ours} }}</out>", f"<out>{{ {theirs} }}</out>", bound
        return ours, theirs, bound

    def _draw(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _often(self, probability: float) -> bool:
        return self._random.random() < probability

    def _new(self) -> str:
        self._variables += 1
        return f"$v{self._variables}"

    def _clauses(self, depth: int) -> Pair:
        """The clauses of a FLWOR; what they bind stays in scope."""
        clauses = [self._for(depth)]
        if self._often(0.25):
            clauses.append(self._for(depth))
        if self._often(0.3):
            clauses.append(self._let(depth))
        if self._often(0.55):
            clauses.append(joined("where {}", self._condition(depth)))
        if self._often(0.1):
            clauses.append(self._for(depth))
        if self._often(0.35):
            clauses.append(self._order(depth))
        return joined(" ".join(["{}"] * len(clauses)), *clauses)

    def _for(self, depth: int) -> Pair:
        kind, name = self._random.random(), self._new()
        at = self._new() if self._often(0.15) else ""
        if kind < 0.12:
            source, known = joined("distinct-values({})", self._path(depth)), self._values
        elif kind < 0.17:
            source, known = joined("1 to {}", joined("count({})", self._path(depth))), self._numbers
        else:
            source, known = self._path(depth), self._nodes
        known.append(name)
        if at:
            self._numbers.append(at)
        return joined(f"for {name}{f' at {at}' if at else ''} in {{}}", source)

    def _let(self, depth: int) -> Pair:
        kind, name = self._random.random(), self._new()
        value, known = (
            (self._path(depth), self._nodes) if kind < 0.5 else (self._number(depth), self._numbers) if kind < 0.75
            else (self._string(depth), self._values))
        known.append(name)
        return joined(f"let {name} := {{}}", value)

    def _order(self, depth: int) -> Pair:
        keys = []
        for _ in range(1 + self._often(0.4)):
            key = self._first(depth) if self._often(0.4) else self._number(1) if self._often(0.5) else self._string(1)
            direction = self._draw("", "", " descending", " ascending") + self._draw("", "", " empty greatest", " empty least")
            keys.append(joined(f"{{}}{direction}", key))
        return joined(f"{self._draw('', 'stable ')}order by " + ", ".join(["{}"] * len(keys)), *keys)

    def _path(self, depth: int) -> Pair:
        """Some nodes, elements or texts."""
        kind = self._random.random()
        if depth <= 0 or kind < 0.65:
            return self._steps(depth)
        left, right = self._steps(depth - 1), self._steps(depth - 1)
        if kind < 0.72:
            return joined(f"({{}} {self._draw('|', 'union', 'except', 'intersect')} {{}})", left, right)
        if kind < 0.79:
            return joined(f"({{}})[{self._place()}]", left)
        if kind < 0.84:
            return joined("({}, {})", left, right)
        if kind < 0.89:
            return joined("{}/({} | {})", left, both(self._name()), both(self._name()))
        if kind < 0.94:
            return joined(f"{self._draw('reverse', 'head', 'tail', 'unordered')}({{}})", left)
        return joined("(if ({}) then {} else {})", self._condition(depth - 1), left, right)

    def _place(self) -> str:
        return self._draw("1", "2", "last()", "position() < 3", "position() != 2", "last() - 1")

    def _name(self) -> str:
        return self._draw(*NAMES, *NAMES, "*", "*:a", "*:b")

    def _steps(self, depth: int) -> Pair:
        start = self._draw(*self._nodes) if self._nodes and self._often(0.85) else ""
        slash = self._draw("/", "/", "//")
        path = both(f"{start}{slash}" if start else self._draw("//", "//", "/r/", "/*/", "/r//"))
        steps = [self._step(depth) for _ in range(1 + self._often(0.35))]
        for number, step in enumerate(steps):
            path = joined("{}" + (self._draw("/", "/", "//") if number else "") + "{}", path, step)
        return joined("{}/text()", path) if self._often(0.08) else path

    def _step(self, depth: int) -> Pair:
        name = both(self._name())
        if depth > 0 and self._often(0.3):
            name = joined("{}[{}]", name, self._predicate(depth - 1))
        if depth > 0 and self._often(0.15):
            name = joined(f"{{}}[{self._place()}]", name)
        return name

    def _predicate(self, depth: int) -> Pair:
        """A condition on the context node."""
        kind = self._random.random()
        inner = both(self._draw("@x", "@y", "@k", ".", self._name(), f"{self._name()}/{self._name()}"))
        if kind < 0.2:
            return inner if inner[0] != "." else both("@x")
        if kind < 0.35:
            return joined("{}({})", both(self._draw("not", "exists", "empty")), inner)
        if kind < 0.6:
            return self._compared(inner, depth)
        if kind < 0.7:
            return joined("contains(string({}), {})", joined("({})[1]", inner), self._string(0))
        if kind < 0.8:
            return joined(f"count({{}}) {self._draw(*_FLIP, '=')} {self._random.randrange(3)}", inner)
        return self._compared(inner, depth) if depth <= 0 else joined(
            f"{{}} {self._draw('and', 'or')} {{}}", self._compared(inner, 0), self._predicate(depth - 1))

    def _compared(self, left: Pair, depth: int) -> Pair:
        """A comparison of nodes' values with something."""
        kind = self._random.random()
        if kind < 0.3:
            return joined(f"{{}} {self._draw('=', '!=')} '{self._draw(*VALUES)}'", left)
        if kind < 0.55:
            op, number = self._draw(*_FLIP, "=", "!="), self._number(0)
            return (f"{left[0]} {op} {number[0]}", f"(some $z in {left[1]} satisfies number($z) {op} {number[1]})")
        if kind < 0.8 or not self._nodes:
            return joined(f"{{}} {self._draw('=', '=', '!=')} {{}}", left, self._values_of(depth))
        op, right = self._draw(*_FLIP), self._values_of(depth)
        return (f"{left[0]} {op} {right[0]}",
                f"(some $z in {left[1]}, $w in {right[1]} satisfies number($z) {op} number($w))")

    def _values_of(self, depth: int) -> Pair:
        """Nodes from a variable or from the root, elements or attributes."""
        start = self._draw(*self._nodes) if self._nodes and self._often(0.9) else "/*"
        return both(f"{start}{self._draw('/', '/', '//')}{self._draw('@x', '@y', '@k', *NAMES, '*')}")

    def _first(self, depth: int) -> Pair:
        """At most one node."""
        if self._often(0.4) and self._nodes:
            return both(f"{self._draw(*self._nodes[:2])}/@{self._draw('x', 'y', 'k')}") if self._often(0.5) else joined(
                "({})[1]", self._values_of(depth))
        return joined(f"({{}})[{self._draw('1', '1', 'last()')}]", self._path(depth - 1))

    def _number(self, depth: int) -> Pair:
        kind = self._random.random()
        if depth <= 0 or kind < 0.15:
            return both(self._draw("0", "1", "2", "3", "1.5", "10", "2.0e0", *self._numbers))
        if kind < 0.4:
            return joined("count({})", self._path(depth - 1))
        if kind < 0.5:
            return joined("string-length({})", self._string(depth - 1))
        if kind < 0.7:
            op = self._draw("+", "-", "*", "div", "mod", "idiv")
            right = both(self._draw("2", "3", "0.5")) if op in ("div", "mod", "idiv") else self._number(depth - 1)
            return joined(f"({{}} {op} {{}})", self._number(depth - 1), right)
        if kind < 0.8:
            return joined(f"{self._draw('sum', 'sum', 'avg', 'min', 'max')}({{}}[number(.) = number(.)])", self._path(depth - 1))
        if kind < 0.88:
            return joined(f"{self._draw('round', 'floor', 'ceiling', 'abs', '-')}({{}} div 4)", self._number(depth - 1))
        if kind < 0.94:
            return joined("number({})", self._first(depth))
        if kind < 0.97:
            return joined(f"{self._draw('sum', 'max', 'min', 'avg')}(({{}}, {{}}))", self._number(depth - 1), self._number(0))
        return joined("{} + 1", self._path(depth - 1))

    def _string(self, depth: int) -> Pair:
        kind = self._random.random()
        if depth <= 0 or kind < 0.2:
            return both(f"'{self._draw(*STRINGS)}'")
        if kind < 0.4:
            return joined("string({})", self._first(depth))
        if kind < 0.5:
            return joined("concat({}, '-', {})", self._string(depth - 1), self._number(depth - 1))
        if kind < 0.6:
            return joined(f"string-join({{}}, '{self._draw('', ', ')}')", self._path(depth - 1))
        if kind < 0.7:
            function = self._draw("upper-case", "lower-case", "normalize-space", "string")
            return joined(f"{function}({{}})", self._string(depth - 1))
        if kind < 0.78:
            return joined("substring({}, {}, 3)", self._string(depth - 1), self._number(0))
        if kind < 0.84:
            function = self._draw("local-name", "namespace-uri")
            return joined(f"{function}({{}})", self._first(depth))
        if kind < 0.9:
            function = self._draw("substring-before", "substring-after")
            return joined(f"{function}({{}}, {{}})", self._string(depth - 1), self._string(0))
        if kind < 0.95:
            return joined("translate({}, 'xy1', 'YX')", self._string(depth - 1))
        return joined("(if ({}) then {} else {})", self._condition(depth - 1), self._string(0), self._string(depth - 1))

    def _condition(self, depth: int) -> Pair:
        kind = self._random.random()
        if depth > 0 and kind < 0.2:
            return joined(f"({{}} {self._draw('and', 'or')} {{}})", self._condition(depth - 1), self._condition(depth - 1))
        if depth > 0 and kind < 0.28:
            return joined("not({})", self._condition(depth - 1))
        if kind < 0.38:
            return joined(f"{self._draw('exists', 'empty')}({{}})", self._path(depth - 1))
        if kind < 0.62:
            return self._compared(self._values_of(depth), depth)
        if kind < 0.72:
            return joined(f"{{}} {self._draw(*_FLIP, '=', '!=')} {{}}", self._number(depth), self._number(depth - 1))
        if kind < 0.8:
            return joined(f"{self._draw('contains', 'starts-with', 'ends-with')}({{}}, {{}})", self._string(depth), self._string(0))
        if kind < 0.86:
            return joined(f"{{}} {self._draw('<<', '>>', 'is')} {{}}", self._first(depth - 1), self._first(depth - 1))
        if kind < 0.9:
            return joined(f"{{}} {self._draw('=', '!=', '<', 'eq', 'gt')} {{}}", self._string(depth - 1), self._string(depth - 1))
        if depth <= 0:
            return self._path(0)
        name, source = self._new(), self._path(depth - 1)
        self._nodes.append(name)
        condition = self._condition(depth - 1)
        self._nodes.remove(name)
        return joined(f"({self._draw('some', 'every')} {name} in {{}} satisfies {{}})", source, condition)

    def _result(self, depth: int) -> Pair:
        if self._often(0.75):
            return self._element(depth)
        return joined("({})", self._content(depth))

    def _content(self, depth: int) -> Pair:
        items = [self._item(depth) for _ in range(self._random.choice((1, 1, 2, 3)))]
        return joined(", ".join(["{}"] * len(items)), *items)

    def _item(self, depth: int) -> Pair:
        kind = self._random.random()
        if kind < 0.25:
            return self._path(depth)
        if kind < 0.4:
            return self._number(depth)
        if kind < 0.55:
            return self._string(depth)
        if kind < 0.62:
            return joined(f"{self._draw('data', 'distinct-values')}({{}})", self._path(depth))
        if depth <= 0:
            return both(self._draw(*self._values, *self._numbers, "true()", "()"))
        if kind < 0.75:
            return self._element(depth - 1)
        if kind < 0.82:
            return joined("(if ({}) then {} else {})", self._condition(depth - 1), self._item(depth - 1), self._item(depth - 1))
        if kind < 0.92:
            return self._flwor(depth - 1)
        return joined(self._draw("text {{ {} }}", "element e {{ {} }}", "element {{ 'f' }} {{ {} }}"), self._string(depth - 1))

    def _flwor(self, depth: int) -> Pair:
        known = [list(each) for each in (self._nodes, self._numbers, self._values)]
        clauses, result = self._clauses(depth), self._result(depth)
        self._nodes, self._numbers, self._values = known
        return joined("(for $q in 1 return ({} return {}))" if self._often(0.1) else "({} return {})", clauses, result)

    def _element(self, depth: int) -> Pair:
        attributes = joined("")
        for name in ("i", "j")[: self._random.randrange(3)]:
            inner = self._string(depth) if self._often(0.4) else self._number(depth) if self._often(0.4) else self._path(depth)
            before = self._draw("", "", "a ", "{{{{", "&lt;")
            attributes = joined(f'{{}} {name}="{before}{{{{ {{}} }}}}{self._draw("", "", " b")}"', attributes, quoted(inner))
        declared = self._draw("", "", "", ' xmlns="urn:d"', ' xmlns:p="urn:q"')
        if not declared and self._nodes and self._often(0.15):
            copied = joined("{{ {}/@x }}", both(self._draw(*self._nodes))) if self._often(0.5) else joined(
                "{{ attribute z {{ {} }} }}", self._number(depth - 1))
        else:
            copied = both("")
        if declared == ' xmlns="urn:d"':
            return joined(f"<e{{}}{declared}>{{}}{self._draw('', 'text')}</e>", attributes, joined(
                "{{ {} }}", self._number(depth)))
        content = joined("{{ {} }}", self._content(depth)) if self._often(0.8) else both("")
        more = joined(self._draw(" ", " and {{{{ ", "<!-- -->"[:0]) + "{{ {} }}", self._content(0)) if self._often(0.3) else both("")
        return joined(f"<{{}}{{}}{declared}>{{}}{{}}{{}}</{{}}>", both("e"), attributes, copied, content, more, both("e"))


def quoted(pair: Pair) -> Pair:
    """An expression inside an attribute's quotation marks: there are none in it but apostrophes."""
    assert '"' not in pair[0] + pair[1]
    return pair
