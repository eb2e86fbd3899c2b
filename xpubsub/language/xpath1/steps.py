"""Parses location paths of XPath 1.0: all axes and node tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xpubsub.language.xpath.cursor import Cursor
from xpubsub.language.xpath.paths import NODE_TYPES, PREDECLARED
from xpubsub.language.xpath1.tree import AnyTest, AxisStep, Location, Root, TestKind, XPathTree

AXES = frozenset({
    "ancestor", "ancestor-or-self", "attribute", "child", "descendant", "descendant-or-self", "following",
    "following-sibling", "namespace", "parent", "preceding", "preceding-sibling", "self",
})
NODE = AnyTest("node")
SELF_STEP, PARENT_STEP = AxisStep("self", NODE), AxisStep("parent", NODE)
DEEP_STEP = AxisStep("descendant-or-self", NODE)
"""What `//` stands for, before the step after it."""


class StepParser:
    """Parses paths at a cursor; predicates are read by the expression parser it is given."""

    def __init__(
        self, cursor: Cursor, namespaces: Mapping[str, str], relative: bool, predicate: Callable[[], XPathTree]
    ) -> None:
        self._cursor = cursor
        self._namespaces = {**PREDECLARED, **namespaces}
        self._relative = relative
        self._predicate = predicate
        self._depth = 0

    def location(self) -> XPathTree:
        """Parse a path; in the branching dialect a leading slash in a predicate is relative."""
        cursor = self._cursor
        absolute = cursor.at("/", "//") and not (self._relative and self._depth)
        start = Root() if absolute else None
        if cursor.at("/") and not self._step_follows():
            cursor.advance()
            return Root() if absolute else Location(None, ())
        return Location(start, self.relative())

    def relative(self) -> tuple[AxisStep, ...]:
        """Parse steps separated by slashes, starting with a slash or a step."""
        cursor = self._cursor
        steps: list[AxisStep] = []
        while True:
            if cursor.at("/", "//") and cursor.advance().text == "//":
                steps.append(DEEP_STEP)
            steps.append(self._step())
            if not cursor.at("/", "//"):
                return tuple(step for step in steps if step != SELF_STEP)

    def predicates(self) -> tuple[XPathTree, ...]:
        """Parse all predicates at the cursor."""
        cursor = self._cursor
        found: list[XPathTree] = []
        while cursor.take("["):
            self._depth += 1
            with cursor.nested():
                found.append(self._predicate())
            self._depth -= 1
            cursor.expect("]")
        return tuple(found)

    def _step_follows(self) -> bool:
        following = self._cursor.peek()
        return following.kind == "name" or following.text in (".", "..", "@")

    def _step(self) -> AxisStep:
        cursor = self._cursor
        for short, step in ((".", SELF_STEP), ("..", PARENT_STEP)):
            if cursor.take(short):
                if cursor.at("["):
                    raise cursor.syntax(f"a predicate cannot follow '{short}': write {step.axis}::node()[…]")
                return step
        axis = self._axis()
        test = self._test(axis == "attribute")
        return AxisStep(axis, test, self.predicates())

    def _axis(self) -> str:
        cursor = self._cursor
        if cursor.take("@"):
            return "attribute"
        if cursor.token.kind != "name" or cursor.peek().text != "::":
            return "child"
        name = cursor.token.text
        if name not in AXES:
            raise cursor.syntax(f"there is no axis {name}::")
        cursor.advance()
        cursor.advance()
        return name

    def _test(self, attribute: bool) -> AnyTest:
        cursor = self._cursor
        if cursor.at("("):
            raise cursor.unsupported("a step in parentheses", None, "write each path on its own, as in a/b | a/c")
        if cursor.token.kind != "name":
            raise cursor.syntax(f"expected a step, found {cursor.describe()}")
        if cursor.peek().text == "(":
            return self._node_type()
        token = cursor.advance()
        return self._name(token.text, token.offset, attribute)

    def _node_type(self) -> AnyTest:
        cursor = self._cursor
        if cursor.token.text not in NODE_TYPES:
            advice = "call the function on the path, as in string(//a) or //a[string() = 'x']"
            raise cursor.unsupported("an expression as a step", None, advice)
        kind: TestKind = cursor.advance().text  # type: ignore[assignment]
        cursor.expect("(")
        target = cursor.advance().text[1:-1] if kind[0] == "p" and cursor.token.kind == "literal" else None
        cursor.expect(")")
        return AnyTest(kind, None, target)

    def _name(self, name: str, offset: int, attribute: bool) -> AnyTest:
        prefix, colon, local = name.rpartition(":")
        anything = None if local == "*" else local
        if prefix == "*" or (not colon and local == "*"):
            return AnyTest("name", None, anything)
        if not colon:
            return AnyTest("name", "" if attribute else self._namespaces.get("", ""), local)
        if prefix not in self._namespaces:
            reason = f"the prefix {prefix!r} is not declared: give it with namespaces={{{prefix!r}: uri}}"
            raise self._cursor.syntax(reason, offset, code="XPST0081")
        return AnyTest("name", self._namespaces[prefix], anything)
