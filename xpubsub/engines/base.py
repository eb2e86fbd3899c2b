"""The interface of an engine: operations on one store, and capabilities as constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

import pyarrow as pa

from xpubsub.arrow import ArrowFunction, Outputs, SplitFunction
from xpubsub.engines.shared import SharedState
from xpubsub.step import Step


class Engine(Protocol):
    """Holds the tables of one store, and the relations of the running pipeline."""

    NAME: ClassVar[str]
    DIALECT: ClassVar[str]
    """The SQL dialect, as sqlglot names it."""
    PREFERS_SQL: ClassVar[bool]
    """Whether SQL is faster than an equivalent Python function over Arrow."""
    PERSISTENT_CATALOG: ClassVar[bool]
    """Whether tables survive reopening the store."""

    place: str
    """The path of the store, as the user wrote it."""
    read_only: bool
    """Whether writing raises `StoreError`."""
    held_file: str | None
    """The file that no other process can open meanwhile; None if others can open the store."""
    shared: SharedState
    """State shared by all engines of this process that have the store open."""

    @property
    def narrows(self) -> bool:
        """Whether plans should narrow tables to what a batch needs of them, before other steps read them."""

    def close(self) -> None:
        """Close the store and release all resources."""

    def refresh(self) -> None:
        """Include what other processes have written since the last call."""

    def define(self, statement: str) -> None:
        """Run a DDL statement in DuckDB's dialect."""

    def has_tables(self) -> bool:
        """Whether the store's tables have been created."""

    def is_empty(self) -> bool:
        """Whether the place of the store is empty."""

    def pipeline(self) -> AbstractContextManager[None]:
        """Return a scope for relations: those loaded or run inside are dropped at its end."""

    def transaction(self) -> AbstractContextManager[None]:
        """Return a scope for writes: atomic if the engine has transactions, else in order.

        A transaction within a transaction is part of it: both are written when the outer one ends.
        """

    def load(self, name: str, table: pa.Table) -> None:
        """Load an Arrow table as a relation."""

    def run(self, step: Step) -> None:
        """Run a step; its result becomes a relation with the step's name."""

    def keep(self, step: Step, snapshot: object) -> None:
        """Like `run`, but if the engine can, the result stays for later pipelines of the same snapshot of the store."""

    def map_arrow(self, name: str, source: Step, function: ArrowFunction, schema: pa.Schema) -> None:
        """Apply a function to a step's result; what it returns becomes the relation `name`."""

    def split_arrow(self, source: Step | pa.Table, function: SplitFunction, outputs: Outputs) -> None:
        """Apply a function to a step's result or a table; each kind of rows it returns becomes a relation."""

    def append(self, table: str, step: Step) -> None:
        """Append a step's result to a table of the store."""

    def fetch(self, step: Step, parameters: Sequence[int] = ()) -> pa.Table:
        """Return a step's result; the parameters fill the question marks in its SQL."""

    def rows(self, step: Step, parameters: Sequence[int] = ()) -> list[dict[str, Any]]:
        """Return a step's result as Python dicts, for the few rows that Python reads itself."""

    def replace(self, tables: Mapping[str, Step]) -> None:
        """Replace the contents of the given tables, all at once; other tables stay."""

    def compact(self) -> None:
        """Free the space of replaced rows, unless something else uses the store."""

    def register(
        self, name: str, function: Callable[..., Any], parameters: list[pa.DataType], result: pa.DataType
    ) -> None:
        """Register a function over Arrow arrays, for use in SQL."""

    def sql(self, step: Step) -> str:
        """Return a step's SQL in this engine's dialect."""
