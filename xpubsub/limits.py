"""Limits on what is accepted, all of which the user can set."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds on messages and on subscriptions; beyond one, the input is refused with its name. And on processes."""

    max_bytes: int = 64 * 1024 * 1024
    """Size of one message, in bytes."""
    max_depth: int = 256
    """Nesting depth of elements in one message."""
    max_nodes: int = 5_000_000
    """Elements, attributes and text nodes of one message."""
    max_copied: int = 256 * 1024 * 1024
    """Size of all copies that transformations ask of the elements of one message, in characters."""
    max_attributes: int = 1_000
    """Attributes of one element."""
    max_positions: int = 100_000
    """Ways in which one tag path may be bound to the branching points of one linear path."""
    forbid_dtd: bool = False
    """Refuse a document type declaration altogether (entity declarations are always refused)."""
    max_expression: int = 100_000
    """Length of a subscription's text, in characters."""
    max_nesting: int = 60
    """Nesting depth of predicates, parentheses and not() in a subscription."""
    max_disjuncts: int = 256
    """Conjunctions a subscription may become once its `or` is written out."""
    max_branches: int = 60
    """Conditions that may meet in one node of a subscription."""
    max_joins: int = 8
    """Comparisons between the blocks of one correlation."""
    lateness: float | None = None
    """Seconds by which a message may come late for correlations; if not given, the longest window."""
    max_future: float | None = 86_400.0
    """Seconds by which the time of a message for correlations may be ahead of now; inf: any."""
    slice_cache: int = 0
    """Rows that are kept in memory of values that recur in correlations, so as not to search for them; 0: none."""
    max_processes: int = 8
    """Processes that read subscriptions and messages, this one included; never more than there are cores."""
