"""Parses XQuery's expressions, as far as they are supported; an error names the construct and its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from xpubsub.language.flwr.refusals import refuse_others
from xpubsub.language.flwr.tokens import XQueryCursor
from xpubsub.language.xpath.cursor import check_length
from xpubsub.language.xpath.parser import MESSAGE_FUNCTIONS
from xpubsub.language.xpath.paths import NODE_TYPES, XML_NAMESPACE
from xpubsub.language.xquery.clauses import Clauses
from xpubsub.language.xquery.functions import ATOMIC_TYPES, SIGNATURES
from xpubsub.language.xquery.module import several_documents
from xpubsub.language.xquery.prolog import FunctionPrologue, sequence_type
from xpubsub.language.xquery.scope import QueryScope
from xpubsub.language.xquery.steps import QuerySteps
from xpubsub.language.xquery.syntax import (
    BinaryOperation,
    Cast,
    Conditional,
    Context,
    Expression,
    FilteredItems,
    FunctionCall,
    ItemSequence,
    MessageRoot,
    NegativeNumber,
    OwnCall,
    OwnFunction,
    PathExpression,
    Quantified,
    QueryConstant,
    Variable,
    XQuery,
)
from xpubsub.limits import Limits

GENERAL_COMPARISONS, VALUE_COMPARISONS = ("=", "!=", "<", "<=", ">", ">="), ("eq", "ne", "lt", "le", "gt", "ge", "is")
_BEGINS_STEP = ("/", "//")


def parse_query(
    text: str, namespaces: Mapping[str, str] | None = None, limits: Limits | None = None
) -> XQuery:
    """Parse a transformation."""
    limits = limits or Limits()
    check_length(text, limits)
    return QueryParser(XQueryCursor(text, limits), namespaces or {}).whole()


class QueryParser(Clauses):
    """Recursive descent, one method per level of XQuery's grammar."""

    def __init__(self, cursor: XQueryCursor, namespaces: Mapping[str, str]) -> None:
        super().__init__(cursor)
        self.functions: dict[str, OwnFunction] = {}
        self._documents: dict[str, int] = {}
        known = {"xml": XML_NAMESPACE, **namespaces}
        self._scope = QueryScope(known, {prefix: uri for prefix, uri in known.items() if prefix})

    def whole(self) -> XQuery:
        """Parse a prolog and the expression after it."""
        cursor = self._cursor
        prologue = FunctionPrologue(cursor, self)
        scope = prologue.read(self._scope)
        body = self.expression(scope)
        if cursor.token.kind != "end":
            raise cursor.syntax(f"expected the end of the expression, found {cursor.describe()}")
        if len(self._documents) > 1:
            raise several_documents(self._documents, cursor.text, min(self._documents.values()))
        return XQuery(body, self.functions, self.slots, tuple(prologue.declared.items()))

    def expression(self, scope: QueryScope) -> Expression:
        """Parse expressions separated by commas, or nothing before a closing bracket."""
        cursor = self._cursor
        if cursor.at(")", "}"):
            return ItemSequence()
        parts = [self.single(scope)]
        while cursor.take(","):
            parts.append(self.single(scope))
        return parts[0] if len(parts) == 1 else ItemSequence(tuple(parts))

    def single(self, scope: QueryScope) -> Expression:
        """Parse one expression, up to a comma."""
        cursor = self._cursor
        with cursor.nested():
            if cursor.token.kind == "name":
                following = cursor.peek().text
                if cursor.at_name("for", "let") and following == "$":
                    return self.flwor(scope)
                if cursor.at_name("some", "every") and following == "$":
                    return self._quantified(scope)
                if cursor.at_name("if") and following == "(":
                    return self._conditional(scope)
            return self._or(scope)

    def _quantified(self, scope: QueryScope) -> Expression:
        cursor = self._cursor
        every = cursor.at_name("every")
        cursor.keyword("some", "every")
        bindings: list[tuple[int, Expression]] = []
        while True:
            name = self.variable_name()
            self.refuse_type()
            self.expect_keyword("in")
            source = self.single(scope)
            slot = self.new_slot()
            bindings.append((slot, source))
            scope = scope.with_variable(name, slot)
            if not cursor.take(","):
                break
        self.expect_keyword("satisfies")
        return Quantified(every, tuple(bindings), self.single(scope))

    def _conditional(self, scope: QueryScope) -> Expression:
        cursor = self._cursor
        cursor.keyword("if")
        cursor.expect("(")
        condition = self.expression(scope)
        cursor.expect(")")
        self.expect_keyword("then")
        then = self.single(scope)
        self.expect_keyword("else")
        return Conditional(condition, then, self.single(scope))

    def _or(self, scope: QueryScope) -> Expression:
        return self._chain(scope, self._and, ("or",))

    def _and(self, scope: QueryScope) -> Expression:
        return self._chain(scope, self._comparison, ("and",))

    def _chain(
        self, scope: QueryScope, operand: Callable[[QueryScope], Expression], symbols: tuple[str, ...],
        names: tuple[str, ...] = (),
    ) -> Expression:
        """Parse operands with operators between them, from left to right."""
        left = operand(scope)
        while (token := self._cursor.token) and (self._cursor.take(*symbols) or self._cursor.keyword(*names)):
            left = BinaryOperation(token.text, left, operand(scope), token.offset)
        return left

    def _comparison(self, scope: QueryScope) -> Expression:
        cursor = self._cursor
        left = self._concatenated(scope)
        token = cursor.token
        if cursor.take(*GENERAL_COMPARISONS, "<<", ">>") or cursor.keyword(*VALUE_COMPARISONS):
            left = BinaryOperation(token.text, left, self._concatenated(scope), token.offset)
            if cursor.at(*GENERAL_COMPARISONS, "<<", ">>"):
                raise cursor.syntax("comparisons cannot be chained in XQuery: put one in parentheses")
        return left

    def _concatenated(self, scope: QueryScope) -> Expression:
        return self._chain(scope, self._range, ("||",))

    def _range(self, scope: QueryScope) -> Expression:
        left, token = self._sum(scope), self._cursor.token
        return BinaryOperation("to", left, self._sum(scope), token.offset) if self._cursor.keyword("to") else left

    def _sum(self, scope: QueryScope) -> Expression:
        return self._chain(scope, self._product, ("+", "-"))

    def _product(self, scope: QueryScope) -> Expression:
        return self._chain(scope, self._union, ("*", "div", "mod"), ("idiv",))

    def _union(self, scope: QueryScope) -> Expression:
        return self._chain(scope, self._intersection, ("|",), ("union",))

    def _intersection(self, scope: QueryScope) -> Expression:
        return self._chain(scope, self._cast, (), ("intersect", "except"))

    def _cast(self, scope: QueryScope) -> Expression:
        cursor = self._cursor
        operand = self._unary(scope)
        token = cursor.token
        if cursor.at_name("instance", "treat") and cursor.peek().text in ("of", "as"):
            raise cursor.unsupported(f"the operator {token.text} {cursor.peek().text}")
        if cursor.at_name("cast", "castable") and cursor.peek().text == "as":
            cursor.keyword("cast", "castable")
            cursor.keyword("as")
            given = sequence_type(cursor)
            if not given.atomic or given.occurrence not in ("", "?"):
                raise cursor.syntax("expected the name of an atomic type")
            return Cast(operand, given.atomic, given.occurrence, token.text, token.offset)
        return operand

    def _unary(self, scope: QueryScope) -> Expression:
        cursor = self._cursor
        token, negative, signed = cursor.token, False, False
        while cursor.at("+", "-"):
            negative ^= cursor.advance().text == "-"
            signed = True
        operand = self._path(scope)
        self._refuse_after()
        if not signed:
            return operand
        if negative:
            return NegativeNumber(operand, token.offset)
        return BinaryOperation("+", QueryConstant(0), operand, token.offset)

    def _refuse_after(self) -> None:
        cursor = self._cursor
        if cursor.at("=>", "!", "?"):
            raise cursor.unsupported(f"the operator {cursor.token.text}")
        if cursor.at("("):
            raise cursor.unsupported("a call of anything but a named function")

    def _path(self, scope: QueryScope) -> Expression:
        cursor = self._cursor
        offset = cursor.token.offset
        steps: list[Expression] = []
        if cursor.at("/", "//"):
            start: Expression = MessageRoot(offset)
            if cursor.at("/") and not self._step_follows():
                cursor.advance()
                return start
        else:
            start = self._step(scope, first=True, descends=False)
            if not cursor.at("/", "//"):
                return start
        while cursor.at("/", "//"):
            descends = cursor.advance().text == "//"
            steps.append(self._step(scope, first=False, descends=descends))
        return PathExpression(start, tuple(steps), offset)

    def _step_follows(self) -> bool:
        following = self._cursor.peek()
        return following.kind == "name" or following.text in (".", "..", "@", "(", "$")

    def _step(self, scope: QueryScope, *, first: bool, descends: bool) -> Expression:
        """Parse a step of a path: along an axis, or any other expression."""
        cursor = self._cursor
        if cursor.token.kind == "name" and not self.at_constructor():
            refuse_others(cursor)
        offset, at_axis = cursor.token.offset, self._at_axis_step()
        if at_axis:
            step = QuerySteps(cursor, scope.namespaces, lambda: self.predicates(scope)).axis_step(descends=descends)
            return PathExpression(Context(offset), (step,), offset) if first and not isinstance(step, Context) else step
        base = self._primary(scope, first=first)
        predicates = self.predicates(scope)
        found = FilteredItems(base, predicates, offset) if predicates else base
        if not descends:
            return found
        every = QuerySteps(cursor, scope.namespaces, tuple).every_element(offset)
        raise_if_context(cursor, base, offset)
        return ItemSequence((found, PathExpression(every, (found,), offset)))

    def _at_axis_step(self) -> bool:
        cursor = self._cursor
        if cursor.at("@", ".."):
            return True
        if cursor.token.kind != "name":
            return False
        following = cursor.peek().text
        if following == "(":
            return cursor.token.text in NODE_TYPES or cursor.token.text in ("element", "attribute", "document-node")
        return not self.at_constructor()

    def predicates(self, scope: QueryScope) -> tuple[Expression, ...]:
        """Parse predicates."""
        cursor = self._cursor
        found: list[Expression] = []
        while cursor.take("["):
            with cursor.nested():
                found.append(self.expression(scope))
            cursor.expect("]")
        return tuple(found)

    def _primary(self, scope: QueryScope, *, first: bool) -> Expression:
        cursor = self._cursor
        token = cursor.token
        if token.kind == "literal":
            return QueryConstant(cursor.advance().text[1:-1])
        if token.kind == "number":
            return QueryConstant(_number(cursor.advance().text))
        if cursor.at("$"):
            return self._variable(scope)
        if cursor.at("("):
            return self._parenthesised(scope)
        if cursor.take("."):
            return Context(token.offset)
        if cursor.at("<") and first:
            return self.constructors.element(scope)  # type: ignore[arg-type,return-value]
        if token.kind == "name" and self.at_constructor():
            return self.computed(scope)
        refuse_others(cursor)
        if token.kind == "name" and cursor.peek().text == "(":
            return self._call(scope)
        raise cursor.syntax(f"expected an expression, found {cursor.describe()}")

    def _variable(self, scope: QueryScope) -> Expression:
        offset = self._cursor.token.offset
        name = self.variable_name()
        if name not in scope.variables:
            raise self._cursor.syntax(f"there is no variable ${name} here", offset, code="XPST0008")
        return Variable(scope.variables[name], name, offset)

    def _parenthesised(self, scope: QueryScope) -> Expression:
        cursor = self._cursor
        refuse_others(cursor)
        cursor.expect("(")
        with cursor.nested():
            inner = self.expression(scope)
        cursor.expect(")")
        return inner

    def _call(self, scope: QueryScope) -> Expression:
        cursor = self._cursor
        token = cursor.advance()
        arguments = self._arguments(scope)
        if token.text in self.declared_functions:
            return OwnCall(token.text, arguments, token.offset)
        name = token.text.removeprefix("fn:")
        if name in MESSAGE_FUNCTIONS:
            return self._message(arguments, token.offset)
        if name in ATOMIC_TYPES:
            if len(arguments) != 1:
                raise cursor.syntax(f"wrong number of arguments of {name}()", token.offset, code="XPST0017")
            return Cast(arguments[0], name, "?", "cast", token.offset)
        signature = SIGNATURES.get(name)
        if signature is None:
            raise cursor.unsupported(f"the function {token.text}()", token.offset)
        if not arguments and signature.at_context:
            arguments = (Context(token.offset),)
        if not signature.least <= len(arguments) <= signature.most:
            raise cursor.syntax(f"wrong number of arguments of {name}()", token.offset, code="XPST0017")
        return FunctionCall(name, arguments, token.offset)

    def _arguments(self, scope: QueryScope) -> tuple[Expression, ...]:
        cursor = self._cursor
        cursor.expect("(")
        found: list[Expression] = []
        with cursor.nested():
            while not cursor.at(")"):
                found.append(self.single(scope))
                if not cursor.take(","):
                    break
        cursor.expect(")")
        return tuple(found)

    def _message(self, arguments: tuple[Expression, ...], offset: int) -> Expression:
        match arguments:
            case (QueryConstant(str(name)),):
                self._documents.setdefault(name, offset)
                return MessageRoot(offset)
        raise self._cursor.unsupported("a document that is not named by a literal", offset)


def raise_if_context(cursor: XQueryCursor, base: Expression, offset: int) -> None:
    """Refuse `//.`: every node of any kind."""
    if isinstance(base, Context):
        raise cursor.unsupported("'//.' (every node of any kind)", offset)


def _number(text: str) -> int | Decimal | float:
    if "e" in text.lower():
        return float(text)
    return Decimal(text) if "." in text else int(text)
