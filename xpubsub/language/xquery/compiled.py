"""Compiles a transformation: as the papers' language if it is that, else as a program for the message factory."""

from __future__ import annotations

from collections.abc import Mapping

from xpubsub.errors import LocatedError, QuerySyntaxError, UnsupportedError
from xpubsub.language.flwr.block_tree import block_tree
from xpubsub.language.flwr.blocks import BlockTree
from xpubsub.language.flwr.parser import parse_flwr
from xpubsub.language.flwr.syntax import Transformation
from xpubsub.language.xquery.lowered_clauses import QueryCompiler
from xpubsub.language.xquery.parser import parse_query
from xpubsub.language.xquery.syntax import XQuery
from xpubsub.limits import Limits


def read_transformation(
    text: str, namespaces: Mapping[str, str] | None, limits: Limits
) -> tuple[BlockTree, Transformation | XQuery]:
    """Compile a transformation; returns its syntax tree as well."""
    try:
        tree = parse_flwr(text, namespaces, limits)
        return block_tree(tree, text, limits), tree
    except (UnsupportedError, QuerySyntaxError) as error:
        return _query(text, namespaces, limits, error)


def _query(
    text: str, namespaces: Mapping[str, str] | None, limits: Limits, refused: LocatedError
) -> tuple[BlockTree, XQuery]:
    """Compile what the language of the papers does not have; where both see a syntax error, theirs says more."""
    try:
        query = parse_query(text, namespaces, limits)
    except QuerySyntaxError:
        if isinstance(refused, UnsupportedError):
            raise
        raise refused from None
    return QueryCompiler(query, text, limits).tree(), query
