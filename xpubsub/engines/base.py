"""What every engine offers, and its capabilities as constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

import pyarrow as pa

from xpubsub.arrow import ArrowFunction, Outputs, SplitFunction
from xpubsub.engines.shared import SharedState
from xpubsub.step import Step


class Engine(Protocol):
    """An engine: it owns the tables of one store, and the relations of the pipeline under way."""

    NAME: ClassVar[str]
    DIALECT: ClassVar[str]
    """The SQL dialect, as sqlglot names it."""
    PREFERS_SQL: ClassVar[bool]
    """Whether SQL is faster than a function of Python over Arrow that does the same."""
    PERSISTENT_CATALOG: ClassVar[bool]
    """Whether tables, once created, are there when the store is opened again."""
    DISTRIBUTED: ClassVar[bool]
    """Whether relations live outside this process, so that messages are better shredded where they are."""

    place: str
    """Where the store is, as the user names it."""
    read_only: bool
    """Whether writes to the store are refused."""
    shared: SharedState
    """What all engines of this process share about the store."""

    def close(self) -> None:
        """Release what the engine holds."""

    def define(self, statement: str) -> None:
        """Run a DDL statement in DuckDB's dialect."""

    def has_tables(self) -> bool:
        """Whether the store's tables have been created."""

    def is_empty(self) -> bool:
        """Whether nothing at all is where the store is to be."""

    def pipeline(self) -> AbstractContextManager[None]:
        """A scope for relations: whatever is loaded or run inside is dropped at its end."""

    def transaction(self) -> AbstractContextManager[None]:
        """A scope for writes: all or nothing where the engine can, in order where it cannot."""

    def load(self, name: str, table: pa.Table) -> None:
        """Make an Arrow table a relation."""

    def run(self, step: Step) -> None:
        """Make a step's result a relation of its name."""

    def map_arrow(self, name: str, source: Step, function: ArrowFunction, schema: pa.Schema) -> None:
        """Make what a function returns for a step's result a relation."""

    def split_arrow(self, source: Step | pa.Table, function: SplitFunction, outputs: Outputs) -> None:
        """Make the several kinds of rows that a function returns for a step's result, or a table, relations."""

    def append(self, table: str, step: Step) -> None:
        """Append a step's result to a table of the store."""

    def fetch(self, step: Step, parameters: Sequence[int] = ()) -> pa.Table:
        """A step's result; parameters stand for the question marks in its SQL."""

    def replace(self, tables: Mapping[str, Step]) -> None:
        """Replace the contents of tables of the store, all at once; tables not named are kept."""

    def compact(self) -> None:
        """Give back the space of what was replaced, as far as nothing else uses the store."""

    def register(
        self, name: str, function: Callable[..., Any], parameters: list[pa.DataType], result: pa.DataType
    ) -> None:
        """Register a function over Arrow arrays, to be called in SQL."""

    def sql(self, step: Step) -> str:
        """A step's SQL as this engine runs it."""
