"""Reads the transformations of a store, and makes the plan that runs them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property

from xpubsub.engines.base import Engine
from xpubsub.jobs.publish.transforming_plan import TransformingPlan, spilling_case
from xpubsub.jobs.schemas import load_schema
from xpubsub.language.xpath.linear import components
from xpubsub.match.linear_paths import bp_steps
from xpubsub.match.ways import is_recursive
from xpubsub.match.where_filter import SearchedConditions
from xpubsub.output.spilled_factory import Spilled
from xpubsub.plan.choose import TransformationChoice
from xpubsub.plan.path_claims import BasedPath, Claims
from xpubsub.plan.summary import Summary
from xpubsub.plan.transform import transformation_steps
from xpubsub.plan.transform_case import Places, TransformationCase
from xpubsub.rows import STRAY, table_of
from xpubsub.schema.element_graph import Schema
from xpubsub.step import file_step
from xpubsub.store.store import Store

PLACES, DEFINITIONS = file_step("block_depth"), file_step("output_definition")
REPEATS, RETURNS = file_step("repeating_path"), file_step("returned_path")
CONDITION_BRANCHES, LOOKS = file_step("condition_branch"), file_step("condition_look")
CONTEXT, VALUES_READ = file_step("context_tagpath"), file_step("values_read")
_LOOKED = "batches in which no tag path is recursive on such a path run without its DISTINCT (just in time)"
TAGPATHS_BY_ID, STRAYED = file_step("known_tagpath_id"), file_step("strayed")


@dataclass(frozen=True)
class Transforming:
    """The transformations of a store, as read for a snapshot."""

    store: Store
    places: Places
    levels: int
    definitions: dict[int, str]
    returned: dict[int, BasedPath]
    """The returned paths, whose nodes templates copy, by id."""
    repeating: dict[tuple[int, int], BasedPath]
    """Paths along which tuples may repeat, by the ids of path and base."""
    alternatives: bool
    """Whether some tuples may repeat whatever the paths are."""
    checked: bool = False
    """Whether some subscriptions have checks."""
    values_read: bool = False
    """Whether programs read values of nodes."""
    schema: Schema | None = None
    strays: tuple[int, ...] = field(default=())
    """The tag paths that violate the schema."""

    @cached_property
    def conditions(self) -> SearchedConditions:
        """All conditions on nodes, for the plan that evaluates them by tree search."""
        conditions = SearchedConditions()
        for row in self.store.rows(CONDITION_BRANCHES):
            conditions.add_branch(row)
        for row in self.store.rows(LOOKS):
            conditions.add_look(row)
        return conditions

    def conforms(self, engine: Engine) -> bool:
        """Whether there is a schema to which all nodes of the batch conform."""
        if self.schema is None or not self.strays:
            return self.schema is not None
        engine.load("stray", table_of([(each,) for each in self.strays], STRAY))
        return not engine.fetch(STRAYED)["strayed"][0].as_py()

    def unrepeated(self, engine: Engine, chosen: TransformationChoice) -> frozenset[tuple[int, int]]:
        """Return the paths along which nothing repeats in the batch, as none of its tag paths is recursive on them."""
        if not chosen.context or not self.repeating:
            return frozenset()
        rows = engine.rows(CONTEXT)
        recursive = {(row["linear_path_id"], row["base"]) for row in rows if is_recursive(
            self.repeating[row["linear_path_id"], row["base"]].linear_path, row["base"], row["tagpath"])}
        return frozenset(self.repeating.keys() - recursive)

    def plan(
        self, chosen: TransformationChoice, *, conforming: bool, unrepeated: Collection[tuple[int, int]] = (),
        spilled: Spilled | None = None,
    ) -> TransformingPlan:
        """Return the steps of a plan and its assumptions; it uses the schema only if the batch conforms to it.

        - `unrepeated`: paths, by id and base, along which nothing repeats in the batch.
        - `spilled`: the messages of which elements are spilled.
        """
        claims = Claims(chosen.claims, self.schema if conforming and chosen.schema else None)
        settled = [key for key, path in self.repeating.items() if key in unrepeated or claims.unique(path)]
        may_repeat = self.alternatives or len(settled) < len(self.repeating)
        sharing = replace(chosen.sharing, repeats=True if not claims.used else None if may_repeat else False)
        narrows = self.store.engine.narrows
        case = TransformationCase(
            self.levels, self.places, sharing, spilling_case(spilled), narrows, self.checked, self.values_read)
        steps = transformation_steps(case)
        return TransformingPlan(
            steps, sharing, claims, tuple(settled), self.definitions, claims.representatives(self.returned),
            lambda: self.conditions, spilled)

    def reasons(self, plan: TransformingPlan, *, context: bool) -> list[str]:
        """Return the reasons for the steps of a plan; `context` says whether it looks at each batch."""
        merged = len(plan.representatives) - len(set(plan.representatives.values()))
        shared = [f"{merged} returned paths are others in canonical form, by the schema"] if merged else []
        alternatives = ["`or`: DISTINCT, as several chains may bind the same"] if self.alternatives else []
        looked = [_LOOKED] if context and len(plan.settled) < len(self.repeating) else []
        return [*plan.claims.described(self.repeating.values()), *looked, *alternatives, *shared]


def load_transforming(store: Store, summary: Summary) -> Transforming:
    """Read the transformations of a store."""
    places = {row["depth"]: row["places"] for row in store.rows(PLACES)}
    definitions = {row["template_id"]: row["definition"] for row in store.rows(DEFINITIONS)}
    returned = {
        row["brinfo_id"]: BasedPath(row["linear_path"], sum(bp_steps(row["brinfo"]))) for row in store.rows(RETURNS)}
    rows = store.rows(REPEATS)
    repeating = {(row["linear_path_id"], row["base"]): BasedPath(row["linear_path"], row["base"])
                 for row in rows if row["linear_path"] is not None}
    schema, values_read = load_schema(store), bool(store.rows(VALUES_READ)[0]["amount"])
    return Transforming(
        store, places, summary.levels, definitions, returned, repeating, len(repeating) < len(rows),
        summary.checks > 0, values_read, schema, _strays(store, schema))


def _strays(store: Store, schema: Schema | None) -> tuple[int, ...]:
    if schema is None:
        return ()
    rows = store.rows(TAGPATHS_BY_ID)
    return tuple(row["tagpath_id"] for row in rows if not schema.conforms(components(row["tagpath"])))
