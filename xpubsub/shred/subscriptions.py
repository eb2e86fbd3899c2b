"""Subscriptions → rows: each text is parsed and becomes the rows of its queries, or the reason for its refusal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from xpubsub.errors import Error, LocatedError, QuerySyntaxError, UnsupportedError
from xpubsub.ids import stable_id
from xpubsub.language.branches import Branch, Query, queries
from xpubsub.language.normal import Normalizer, Test
from xpubsub.language.xpath import parse_xpath
from xpubsub.limits import Limits
from xpubsub.shred.brpred import encode_shape, shape_of
from xpubsub.shred.linear_paths import pieces
from xpubsub.shred.rows import COMPILED
from xpubsub.shred.uses import use_of

Row = dict[str, object]
_OTHER_KINDS = (
    (re.compile(r"\s*(?:<|\(:|(?:for|let)\s+\$|declare\s)"), "a transformation (FLWR)"),
    (re.compile(r"\s*(?:SELECT|FROM)\b|.*\b(?:FOLLOWED\s+BY|JOIN)\s*\{", re.DOTALL), "a correlation (XSCL)"),
)


@dataclass(frozen=True)
class Compiler:
    """Compiles subscriptions that share namespaces, a dialect and limits."""

    namespaces: Mapping[str, str] = field(default_factory=dict)
    dialect: str = "xpath"
    limits: Limits = field(default_factory=Limits)

    def table(self, rows: Iterable[tuple[int, str | None, str | None]]) -> pa.Table:
        """(row number, id, text) → one compiled row each, refusals included."""
        return pa.Table.from_pylist([self.row(*row) for row in rows], schema=COMPILED)

    def queries(self, text: str) -> list[Query]:
        """The queries of a filter."""
        try:
            tree = parse_xpath(text, self.namespaces, self.dialect, self.limits)
        except (QuerySyntaxError, UnsupportedError):
            _refuse_other_kinds(text)
            raise
        return queries(Normalizer(text, self.limits).boolean(tree), text, self.limits)

    def row(self, row_no: int, subscription_id: str | None, text: str | None) -> Row:
        """One compiled row; a refused subscription has a code and a reason instead of queries."""
        head: Row = {"row_no": row_no, "subscription_id": subscription_id, "text": text, "kind": "filter"}
        try:
            if not subscription_id:
                raise Error("the id is empty")
            if text is None:
                raise Error("the text is missing")
            return head | _rows(self.queries(text))
        except LocatedError as error:
            place = {"line": error.line, "column": error.column, "caret": error.caret() if error.text else None}
            return head | {"code": _code(error), "reason": error.reason} | place
        except Error as error:
            return head | {"code": "bad-row", "reason": str(error)}


def _refuse_other_kinds(text: str) -> None:
    """What is no XPath may be a subscription of another kind."""
    for pattern, kind in _OTHER_KINDS:
        if pattern.match(text):
            raise UnsupportedError(f"{kind} is not supported", code="unsupported", text=text)


def _code(error: LocatedError) -> str:
    return f"{type(error).__name__}:{error.code}"


def _rows(compiled: list[Query]) -> Row:
    tests: dict[str, int] = {}
    for query in compiled:
        for branch in query.branches:
            tests[branch.linear_path] = tests.get(branch.linear_path, 0) | use_of(branch.test)
    checked = [(stable_id("query", query.text), query) for query in compiled if query.checked]
    return {
        "queries": [_query(query) for query in compiled],
        "linear_paths": [_linear_path(path, use) for path, use in tests.items()],
        "branches": [row for sub_id, query in checked for row in _branches(sub_id, query)],
        "brinfos": [_brinfo(branch) for _, query in checked for branch in query.branches],
        "branchpoints": [_branchpoint(sub_id, query) for sub_id, query in checked],
    }


def _query(query: Query) -> Row:
    necessary = dict.fromkeys((each.linear_path, each.test) for each in query.branches if each.necessary)
    predicates = [{"linear_path_id": stable_id(path)} | _test(test) for path, test in necessary]
    sub_id = stable_id("query", query.text)
    return {"sub_id": sub_id, "query": query.text, "checked": query.checked, "predicates": predicates}


def _test(test: Test) -> Row:
    return {"op": test.op, "value": test.value, "number": test.number}


def _linear_path(path: str, use: int) -> Row:
    prefix, postfix, middle = pieces(path)
    return {"id": stable_id(path), "linear_path": path, "prefix": prefix, "postfix": postfix, "middle": middle,
            "node_use": use}


def _brinfo_id(branch: Branch) -> int:
    return stable_id(branch.linear_path, branch.brinfo)


def _brinfo(branch: Branch) -> Row:
    return {"linear_path": branch.linear_path, "linear_path_id": stable_id(branch.linear_path),
            "brinfo": branch.brinfo, "brinfo_id": _brinfo_id(branch)}


def _branches(sub_id: int, query: Query) -> Iterable[Row]:
    shaped, wants = shape_of(query.branches)
    for number, (branch, shape) in enumerate(zip(query.branches, shaped, strict=True)):
        yield {
            "sub_id": sub_id, "branch": number, "linear_path_id": stable_id(branch.linear_path),
            "brinfo_id": _brinfo_id(branch), **_test(branch.test), "first_only": branch.first,
            "level": shape.level, "context": shape.context, "context_at": shape.context_at, "bit": shape.bit,
            "inner_at": list(range(1, len(shape.inner) + 1)), "inner_points": list(shape.inner),
            "inner_wants": [wants[point] for point in shape.inner],
        }


def _branchpoint(sub_id: int, query: Query) -> Row:
    _, wants = shape_of(query.branches)
    return {"sub_id": sub_id, "branchpoint_info": [_brinfo_id(branch) for branch in query.branches],
            "shape": encode_shape(query.branches), "want": wants[0]}
