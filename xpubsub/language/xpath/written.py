"""Writes expressions from their trees, as the subscriber would."""

from __future__ import annotations

from collections.abc import Mapping

from xpubsub.language.xpath.normal import Test
from xpubsub.language.xpath.numbers import to_text
from xpubsub.language.xpath.paths import PREDECLARED
from xpubsub.language.xpath.syntax import And, Call, Compare, Expr, Literal, NodeTest, Not, Number, Or, Path, PathStep

_LONGEST = 60
"""How many characters of an expression are shown."""


class Written:
    """Writes trees with the prefixes of a subscription."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        self._prefixes = {uri: prefix for prefix, uri in reversed([*namespaces.items()]) if prefix}
        for prefix, uri in PREDECLARED.items():
            self._prefixes.setdefault(uri, prefix)
        self._default = namespaces.get("", "")

    def quoted(self, expr: Expr) -> str:
        """Quote an expression for use in a sentence, shortened if it is long."""
        return quoted(self.expression(expr))

    def expression(self, expr: Expr) -> str:
        """Write an expression."""
        match expr:
            case Path():
                return self._path(expr)
            case Literal(value):
                return literal(value)
            case Number(value):
                return number(value)
            case Compare(op, left, right):
                return f"{self.expression(left)} {op} {self.expression(right)}"
            case Call(name, left, right):
                return f"{name}({self.expression(left)}, {self.expression(right)})"
            case And(parts):
                return " and ".join(map(self._part, parts))
            case Or(parts):
                return " or ".join(map(self._part, parts))
            case Not(part):
                return f"not({self.expression(part)})"

    def _part(self, expr: Expr) -> str:
        return f"({self.expression(expr)})" if isinstance(expr, And | Or) else self.expression(expr)

    def _path(self, path: Path) -> str:
        steps = "".join(map(self._step, path.steps))
        if path.variable is not None:
            return f"${path.variable}{steps}"
        if path.absolute:
            return steps or "/"
        return f".{steps}" if steps.startswith("//") else steps[1:] or "."

    def _step(self, step: PathStep) -> str:
        slash = "//" if step.axis == "descendant" else "/"
        return slash + self.name(step.test) + "".join(f"[{self.expression(each)}]" for each in step.predicates)

    def name(self, test: NodeTest) -> str:
        """Write a node test."""
        if test.kind in ("text", "node"):
            return f"{test.kind}()"
        if test.kind == "computed":
            return str(test.local)
        mark, local = "@" if test.kind == "attribute" else "", test.local or "*"
        if test.uri is None:
            return f"{mark}*:{local}" if test.local else f"{mark}*"
        if not test.uri or (not mark and test.uri == self._default):
            return mark + local
        prefix = self._prefixes.get(test.uri)
        return f"{mark}{prefix}:{local}" if prefix else f"{mark}{{{test.uri}}}{local}"

    def prefix(self, uri: str) -> str | None:
        """Return the prefix of a namespace, or None."""
        return self._prefixes.get(uri)


def tested(node: str, test: Test, *, negated: bool) -> str:
    """Write a test of a node."""
    constant = literal(test.value) if test.value is not None else number(test.number or 0.0)
    if test.op == "exists":
        shown = node
    elif test.op == "at-least":
        shown = f"count({node}) >= {constant}"
    elif test.op in ("contains", "starts-with"):
        shown = f"{test.op}({node}, {constant})"
    else:
        shown = f"{node} {test.op} {constant}"
    return f"not({shown})" if negated else shown


def quoted(text: str) -> str:
    """Quote a text for use in a sentence, shortened if it is long."""
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


def literal(value: str) -> str:
    """Write a string constant."""
    return f'"{value}"' if "'" in value else f"'{value}'"


def number(value: float) -> str:
    """Write a number constant."""
    return to_text(value) or repr(value)
