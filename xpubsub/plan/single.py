"""Point lookups for a single message. Keys and ids are parameters, so that the SQL stays the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from xpubsub.step import Step, file_step

MOST_LOOKUPS = 256
"""The number of keys up to which lookups are faster than joins."""


@cache
def found_queries(slots: int, keys: int) -> Step:
    """Return the step to the queries with one of some lookup keys, and their slots."""
    columns = "".join(f", key{slot}, bound{slot}" for slot in range(1, slots + 1))
    header = "-- One row: a query with one of the given lookup keys, and its slots."
    select = f"select lookup_key, query_id, final{columns}"
    return Step("found_queries", f"{header}\n{select} from predicate_unroll where lookup_key in ({_marks(keys)})")


@cache
def found_subscribers(keys: int) -> Step:
    """Return the step to the subscriptions whose queries have one of some lookup keys."""
    return file_step("found_subscriber", keys=_marks(keys))


LOOKUP_KEYS, LOOKED_UP = file_step("lookup_key"), file_step("subscribed_key")
KEYS, PATH_MATCHES, PAIRS = file_step("index_key"), file_step("known_path_match"), file_step("known_pair")
CHECKED_SUBSCRIPTIONS, REMOVALS = file_step("checked_subscription"), file_step("removal")
TEXT_QUERIES, BRANCHED_QUERIES = file_step("text_query"), file_step("branched_query")
POSITIONS = file_step("positioned_path")
"""The tables of which a snapshot for single messages reads what is new."""


@cache
def from_row(step: Step) -> Step:
    """Return the step to the rows of another from a given number on."""
    return replace(step, sql=f"{step.sql}\noffset ?")


@cache
def rest_texts(queries: int) -> Step:
    """Return the step to the predicates on text of some queries."""
    return file_step("rest_text", queries=_marks(queries))


@cache
def rest_branches(queries: int) -> Step:
    """Return the step to the branches of some queries."""
    return file_step("rest_branch", queries=_marks(queries))


@cache
def rest_edges(roots: int) -> Step:
    """Return the step to the rest of some queries' chains, given their roots: the ids of the queries, negated."""
    return file_step("rest_edge", roots=_marks(roots))


@cache
def positions_of(brinfos: int) -> Step:
    """Return the step to the positions of some annotated linear paths in the tag paths of the store."""
    return file_step("position_of_brinfo", brinfos=_marks(brinfos))


def padded(ids: Sequence[int]) -> list[int]:
    """Repeat the last of some ids, so that statements have few different numbers of parameters."""
    return [*ids, *[ids[-1]] * ((1 << (len(ids) - 1).bit_length()) - len(ids))]


def _marks(count: int) -> str:
    return ", ".join("?" * count)
