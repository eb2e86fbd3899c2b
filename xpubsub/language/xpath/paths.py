"""Parses location paths: steps, node tests, axes and namespaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xpubsub.language.xpath.cursor import Cursor
from xpubsub.language.xpath.linear import REFERENCE_NAMESPACE
from xpubsub.language.xpath.syntax import Axis, Expr, NodeKind, NodeTest, Number, Path, PathStep

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
PREDECLARED = {"xml": XML_NAMESPACE, "ref": REFERENCE_NAMESPACE}
"""The namespaces of prefixes that nobody has to declare."""
NODE_TYPES = frozenset({"text", "node", "comment", "processing-instruction"})
_AXES: dict[str, Axis] = {"child": "child", "attribute": "child", "descendant": "descendant", "self": "self"}
_OTHER_AXES = frozenset({
    "ancestor", "ancestor-or-self", "descendant-or-self", "following", "following-sibling", "namespace",
    "parent", "preceding", "preceding-sibling",
})
_SELF = PathStep("self", NodeTest("node"))


class PathParser:
    """Parses paths at a cursor; predicates are read by the expression parser it is given."""

    def __init__(
        self, cursor: Cursor, namespaces: Mapping[str, str], relative: bool, predicate: Callable[[], Expr]
    ) -> None:
        self._cursor = cursor
        self._namespaces = {**PREDECLARED, **namespaces}
        self._relative = relative
        self._predicate = predicate
        self.depth = 0
        """How many predicates enclose the cursor."""

    def starts_step(self) -> bool:
        """Whether a step can start at the cursor."""
        cursor = self._cursor
        return cursor.at(".", "..", "@") or cursor.token.kind == "name"

    def path(self) -> Path:
        """Parse a whole path; in the branching dialect a leading slash in a predicate is relative."""
        cursor = self._cursor
        offset = cursor.token.offset
        absolute = cursor.at("/", "//") and not (self._relative and self.depth)
        steps: list[PathStep] = []
        if cursor.at("/") and not self._step_follows():
            cursor.advance()
            self._refuse_step()
        else:
            self.relative(steps)
        return Path(absolute, tuple(steps), offset)

    def relative(self, steps: list[PathStep]) -> None:
        """Parse steps separated by slashes, starting with a slash or a step, and append them to `steps`."""
        cursor = self._cursor
        while True:
            slash = cursor.advance().text if cursor.at("/", "//") else ""
            self._refuse_step()
            if not self.starts_step():
                raise cursor.syntax(f"expected a step, found {cursor.describe()}")
            offset = cursor.token.offset
            self._append(steps, self._step(), slash == "//", offset)
            if not cursor.at("/", "//"):
                return

    def _refuse_step(self) -> None:
        """Refuse steps at the cursor that only other languages have."""

    def _step_follows(self) -> bool:
        following = self._cursor.peek()
        return following.kind == "name" or following.text in (".", "..", "@")

    def _append(self, steps: list[PathStep], step: PathStep, descend: bool, offset: int) -> None:
        if step.axis != "self":
            steps.append(PathStep("descendant" if descend else step.axis, step.test, step.predicates))
        elif descend:
            raise self._cursor.unsupported("'//.' (every node of any kind)", offset)

    def _step(self) -> PathStep:
        cursor = self._cursor
        if cursor.take("."):
            if cursor.at("["):
                raise cursor.syntax("a predicate cannot follow '.'")
            return _SELF
        if cursor.at(".."):
            raise cursor.unsupported("the parent step '..'")
        axis, kind, offset = self._axis()
        test = self._test(kind == "attribute", axis == "self")
        if axis == "self" and test.kind != "node":
            raise cursor.unsupported("a name test on the axis self::", offset)
        predicates = self._predicates()
        if axis == "self" and predicates:
            raise cursor.unsupported("a predicate on the axis self::", offset)
        return _SELF if axis == "self" else PathStep(axis, test, predicates)

    def _axis(self) -> tuple[Axis, str, int]:
        cursor = self._cursor
        offset = cursor.token.offset
        if cursor.take("@"):
            return "child", "attribute", offset
        if cursor.peek().text != "::" or cursor.token.kind != "name":
            return "child", "element", offset
        name = cursor.token.text
        if name in _OTHER_AXES:
            raise cursor.unsupported(f"the axis {name}::")
        if name not in _AXES:
            raise cursor.syntax(f"there is no axis {name}::")
        cursor.advance()
        cursor.advance()
        return _AXES[name], "attribute" if name == "attribute" else "element", offset

    def _test(self, attribute: bool, selfish: bool) -> NodeTest:
        cursor = self._cursor
        if cursor.token.kind != "name":
            raise cursor.syntax(f"expected a name, found {cursor.describe()}")
        if cursor.peek().text == "(" and cursor.token.text in NODE_TYPES:
            return self._node_type(attribute, selfish)
        token = cursor.advance()
        return self._name_test(token.text, token.offset, attribute)

    def _node_type(self, attribute: bool, selfish: bool) -> NodeTest:
        cursor = self._cursor
        token = cursor.advance()
        if token.text == "node" and selfish:
            kind = NodeTest("node")
        elif token.text == "text" and not attribute:
            kind = NodeTest("text")
        else:
            raise cursor.unsupported(f"the node test {token.text}()" + " on attributes" * attribute, token.offset)
        cursor.expect("(")
        cursor.expect(")")
        return kind

    def _name_test(self, name: str, offset: int, attribute: bool) -> NodeTest:
        kind: NodeKind = "attribute" if attribute else "element"
        prefix, colon, local = name.rpartition(":")
        anything = None if local == "*" else local
        if prefix == "*" or (not colon and local == "*"):
            return NodeTest(kind, None, anything)
        if not colon:
            return NodeTest(kind, "" if attribute else self._namespaces.get("", ""), local)
        if prefix not in self._namespaces:
            reason = f"the prefix {prefix!r} is not declared: give it with namespaces={{{prefix!r}: uri}}"
            raise self._cursor.syntax(reason, offset, code="XPST0081")
        return NodeTest(kind, self._namespaces[prefix], anything)

    def _predicates(self) -> tuple[Expr, ...]:
        cursor = self._cursor
        predicates: list[Expr] = []
        while cursor.at("["):
            offset = cursor.advance().offset
            self.depth += 1
            with cursor.nested():
                predicates.append(self._predicate())
            self.depth -= 1
            if isinstance(predicates[-1], Number):
                raise cursor.unsupported("a position as a predicate", offset)
            cursor.expect("]")
        return tuple(predicates)
