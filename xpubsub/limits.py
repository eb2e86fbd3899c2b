"""`Limits`: bounds on what is accepted, all of which the user can set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def _limit(default: object, meaning: str) -> Any:
    """A limit with its default; its meaning is also the help text of the command-line option."""
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class Limits:
    """Bounds on messages, subscriptions and processes; the error for input beyond a bound names the bound."""

    max_bytes: int = _limit(64 * 1024 * 1024, "Size of one message, in bytes.")
    max_depth: int = _limit(256, "Nesting depth of elements in one message.")
    max_nodes: int = _limit(5_000_000, "Elements, attributes and text nodes of one message.")
    max_copied: int = _limit(
        256 * 1024 * 1024, "Size of all copies that transformations make of elements of one message, in characters.")
    max_attributes: int = _limit(1_000, "Attributes of one element.")
    max_positions: int = _limit(
        100_000, "Ways in which one tag path may be bound to the branching points of one linear path.")
    forbid_dtd: bool = _limit(
        False, "Reject messages with a document type declaration (entity declarations are always rejected).")
    max_expression: int = _limit(100_000, "Length of a subscription's text, in characters.")
    max_nesting: int = _limit(60, "Nesting depth of predicates, parentheses and not() in a subscription.")
    max_disjuncts: int = _limit(256, "Conjunctions that a subscription with `or` may expand to.")
    max_branches: int = _limit(60, "Conditions that may meet in one node of a subscription.")
    max_joins: int = _limit(8, "Comparisons between the blocks of one correlation.")
    lateness: float | None = _limit(
        None, "Seconds by which a message for correlations may be late; by default the longest window.")
    max_future: float | None = _limit(
        86_400.0, "Seconds by which the time of a message for correlations may be in the future; inf: no limit.")
    xquery_seconds: float = _limit(
        10.0, "Seconds that a query which Saxon evaluates may take in one message.")
    xquery_memory: int = _limit(
        1024**3, "Memory of the process in which Saxon evaluates queries, in bytes.")
    slice_cache: int = _limit(
        0, "Rows of recurring values that correlations cache in memory; 0: no cache.")
    max_processes: int = _limit(
        8, "Processes that read subscriptions and messages, including this one; at most the number of cores.")
    snapshot_bytes: int = _limit(
        4 * 1024**3, "On Spark, size of the store's snapshot in bytes beyond which plan sql replaces partition.")
    driver_table: int = _limit(
        64 * 1024**2, "On Spark, with plan sql, size of a table's files beyond which Spark joins it, not the driver.")
    worker_memory: int = _limit(
        1024**3, "On Spark, memory that matching may use in each worker, in bytes; beyond, it spills to disk.")
