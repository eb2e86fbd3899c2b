"""Frames of a store's tables, and of what steps make of tables alone; Spark keeps them until the tables change."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from xpubsub.engines.parquet import ParquetEngine

_FEW_FILES = 32
"""How many files Spark lists without a job."""
_PART_BYTES = 32_000_000
"""The size of the files of which a partition in memory is made."""

Ingredients = tuple[object, ...]
"""What a frame is made of; it changes if the frame has to be made again."""


class StoreFrames:
    """Frames that outlive a batch, by name."""

    def __init__(self, stored: ParquetEngine, session: SparkSession) -> None:
        self._stored = stored
        self._session = session
        self._frames: dict[str, tuple[Ingredients, DataFrame]] = {}

    def close(self) -> None:
        """Free the memory of all frames."""
        for _, frame in self._frames.values():
            frame.unpersist()
        self._frames.clear()

    def ingredients(self, table: str) -> Ingredients:
        """Return what a table is made of: its files."""
        return tuple(self._stored.paths(table))

    def known(self, name: str, ingredients: Ingredients) -> DataFrame | None:
        """Return the frame of a name, if it is still the same."""
        found = self._frames.get(name)
        return found[1] if found is not None and found[0] == ingredients else None

    def keep(self, name: str, ingredients: Ingredients, frame: DataFrame) -> DataFrame:
        """Keep a frame in memory, instead of the one that had its name."""
        if name in self._frames:
            self._frames.pop(name)[1].unpersist()
        self._frames[name] = ingredients, frame.persist()
        return frame

    def table(self, name: str, by: str | None) -> DataFrame:
        """Return a table's rows from its files; if `by` is given, kept in memory and partitioned by that column."""
        if by is None:
            return self._read(name)
        ingredients = self.ingredients(name)
        known = self.known(name, ingredients)
        if known is not None:
            return known
        parts = max(self._stored.table_bytes(name) // _PART_BYTES, int(str(self._session.conf.get(
            "spark.sql.shuffle.partitions"))))
        return self.keep(name, ingredients, self._read(name).repartition(parts, by))

    def _read(self, name: str) -> DataFrame:
        schema, paths = from_arrow_schema(self._stored.schema(name)), self._stored.paths(name)
        if not paths:
            return self._session.createDataFrame([], schema)
        read = paths if len(paths) <= _FEW_FILES else [self._stored.location(name)]
        return self._session.read.schema(schema).parquet(*read)
