"""An open store: its engine, its settings, and how steps run and calls write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import pyarrow as pa

from xpubsub.engines.base import Engine
from xpubsub.errors import StoreError
from xpubsub.step import Pipeline, Step, file_step, whole
from xpubsub.store.check_costs import CheckCosts
from xpubsub.store.migrations import migrate

DEFAULT_SLOTS = 5
GONE, VISIBLE = file_step("gone"), file_step("visible", reused=True)
VISIBLE_ASKED = file_step("visible", "asked", reused=True)


class Store:
    """An open store on an engine. Changes of subscriptions and schemas go through `call`."""

    def __init__(self, engine: Engine, *, slots: int | None = None, create: bool = True) -> None:
        self.engine = engine
        check_contents(engine, create=create)
        self.migrated = migrate(engine)
        self.slots = self._slots(slots)
        self.check_costs = CheckCosts()
        """What lxml's checks have cost since that was last stored."""

    def on(self, engine: Engine) -> Store:
        """Return the same store with another engine, which has its tables too."""
        other = copy(self)
        other.engine = engine
        return other

    def _slots(self, asked: int | None) -> int:
        rows = self.rows(file_step("known_setting"))
        stored = next((int(row["value"]) for row in rows if row["name"] == "slots"), None)
        if stored is None:
            if not self.engine.read_only:
                self._set("slots", str(asked or DEFAULT_SLOTS))
            return asked or DEFAULT_SLOTS
        if asked is not None and asked != stored:
            raise StoreError(f"this store was created with slots={stored}; it cannot be opened with slots={asked}")
        return stored

    def _set(self, name: str, value: str) -> None:
        with self.engine.pipeline(), self.engine.transaction():
            self.engine.load("new_setting", pa.table({"name": [name], "value": [value]}))
            self.engine.append("setting", whole("new_setting"))

    def rows(self, step: Step) -> list[dict[str, Any]]:
        """Return a step's result as Python dicts."""
        return self.engine.rows(step)

    def run(self, *steps: Step) -> None:
        """Run steps in order."""
        for step in steps:
            self.engine.run(step)

    def append(self, *appends: tuple[str, Step]) -> None:
        """Append the results of steps to tables, in order."""
        for table, step in appends:
            self.engine.append(table, step)

    def keep_check_costs(self) -> None:
        """Store what checks have cost, if something was counted and the store can be changed."""
        if self.check_costs and not self.engine.read_only:
            self.engine.load("new_check_cost", self.check_costs.take())
            self.append(("check_cost", whole("new_check_cost")))

    def refuse_collisions(self, step: Step) -> None:
        """Raise `StoreError` if the step finds two different texts with the same id."""
        for row in self.rows(step):
            raise StoreError(f"two {row['what']} texts have the same id: {row['text']!r} and {row['other']!r}")

    @contextmanager
    def call(self, action: str, **form: object) -> Iterator[None]:
        """Change subscriptions or schemas: all rows that the block appends become visible when it ends."""
        with self.engine.pipeline(), self.engine.transaction():
            number = self.rows(file_step("last_call"))[0]["call_no"] + 1
            self.engine.load("call_form", _one_row(call_no=number, action=action, **form))
            self.engine.shared.changes += 1
            yield
            self.engine.append("completed_call", file_step("completed"))

    def visible(self) -> Pipeline:
        """Return the steps that make the relation `visible`."""
        return (GONE, VISIBLE)

    def visible_asked(self) -> Pipeline:
        """Return the steps that make `visible` for the subscriptions in the relation `asked` alone."""
        return (GONE, VISIBLE_ASKED)


def check_contents(engine: Engine, *, create: bool) -> None:
    """Raise `StoreError` for other data, and for an empty place unless a store may be created there."""
    if engine.has_tables():
        return
    if not engine.is_empty():
        raise StoreError(f"{engine.place} is not an xpubsub store: it holds other data, which was not changed")
    if engine.read_only or not create:
        raise StoreError(f"{engine.place} is not an xpubsub store: it is empty; run `xpubsub init {engine.place}`")


def _one_row(**values: object) -> pa.Table:
    return pa.table({name: [value] for name, value in values.items()})
