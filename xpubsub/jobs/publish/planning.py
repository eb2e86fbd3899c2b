"""Makes the plan of a batch from the request and the snapshot of the store, and runs or lists its steps."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from xpubsub.jobs.publish.known import Known
from xpubsub.jobs.publish.timing import Timings
from xpubsub.jobs.publish.transforming_plan import TransformingPlan, spilling_case
from xpubsub.match.brpred import BRPRED_PARAMETERS, BRPRED_RESULT, brpred_arrow
from xpubsub.match.checks import checking
from xpubsub.match.referred import ReferredValues
from xpubsub.output.spilled_factory import Spilled
from xpubsub.plan.choose import Choice, TransformationChoice, choose, choose_transformation, combined
from xpubsub.plan.filter_case import FilterCase
from xpubsub.plan.filters import filter_steps
from xpubsub.plan.request import PlanRequest
from xpubsub.plan.slices import with_slices
from xpubsub.rows import CHECK_HELD
from xpubsub.step import Pipeline, Step


@dataclass(frozen=True)
class PublishPlan:
    """The steps that run for a batch of messages."""

    request: PlanRequest
    known: Known
    case: FilterCase
    choice: Choice
    """The chosen plans and the reasons for them."""
    transformation: TransformationChoice | None
    spilled: Spilled | None = None
    """The messages of which elements are spilled."""

    @cached_property
    def filters(self) -> Pipeline:
        """The steps from shredded messages to the notifications of filters."""
        return filter_steps(self.case)

    @property
    def matching(self) -> Pipeline:
        """The steps from shredded messages to the notifications of filters and transformations."""
        transforming = self.transforming(conforming=False)
        return (*self.filters, *(transforming.steps if transforming else ()))

    def transforming(
        self, *, conforming: bool, unrepeated: Collection[tuple[int, int]] = ()
    ) -> TransformingPlan | None:
        """Return the plan of transformations, or None.

        - `conforming`: whether the batch conforms to the schema.
        - `unrepeated`: paths, by id and base, along which nothing repeats in the batch.
        """
        if self.transformation is None:
            return None
        return self.known.transforming.plan(
            self.transformation, conforming=conforming, unrepeated=unrepeated, spilled=self.spilled)

    def run(
        self, timings: Timings, sources: Mapping[int, bytes], values: ReferredValues | None = None
    ) -> Step:
        """Run all steps except the last and return that one: its rows are the notifications.

        - `sources`: the messages in UTF-8 by event id, if lxml decides about some candidates.
        - `values`: what reference tables have for their keys.
        """
        engine = self.known.store.engine
        if not engine.PREFERS_SQL:
            engine.register("brpred", brpred_arrow, BRPRED_PARAMETERS, BRPRED_RESULT)
        *steps, last = self.filters
        for step in steps if self.transformation is None else self.filters:
            with timings.of(step.name):
                if step.function:
                    engine.map_arrow(step.name, step, checking(self.known.checks, sources, values), CHECK_HELD)
                elif step.standing and not self.case.narrowed:
                    engine.keep(step, self.known.token)
                else:
                    engine.run(step)
        if self.transformation is None:
            return last
        with timings.of("context_tagpath"):
            unrepeated = self.known.transforming.unrepeated(engine, self.transformation)
        conforming = self.known.transforming.conforms(engine)
        transforming = self.transforming(conforming=conforming, unrepeated=unrepeated)
        return last if transforming is None else transforming.run(engine, timings)

    def all_steps(self) -> Pipeline:
        """Return every step that a batch may run, in order, assuming that it conforms to the schema, if any."""
        steps = self.filters
        if self.transformation is not None:
            transforming = self.transforming(conforming=self.known.transforming.schema is not None)
            steps = (*steps, *(transforming.steps if transforming else ()))
        if self.known.summary.correlations:
            slices = with_slices(self.request, self.known.limits.slice_cache)
            steps = (*steps, *self.known.correlating.all_steps(self.request, slices=slices))
        return steps

    def reasons(self) -> list[str]:
        """Return why the steps of transformations were chosen."""
        if self.transformation is None:
            return []
        transforming = self.transforming(conforming=self.known.transforming.schema is not None)
        context = self.transformation.context
        return self.known.transforming.reasons(transforming, context=context) if transforming else []


def publish_plan(request: PlanRequest, known: Known, spilled: Spilled | None = None) -> PublishPlan:
    """Make the plan for a batch; `publish`, `publish_frame` and `explain --sql` all use it.

    For messages of which elements are spilled, transformations share everything (`fwr`).
    """
    if spilled is not None:
        request = replace(request, transformations=None)
    summary, prefers_sql = known.summary, known.store.engine.PREFERS_SQL
    choice, transformation = choose(request, summary), choose_transformation(request, summary)
    searched = transformation is not None and not transformation.sharing.conditions and not summary.correlations
    case = FilterCase(choice.plan, summary, prefers_sql, searched, spilling=spilling_case(spilled),
                      narrowed=known.store.engine.narrows)
    return PublishPlan(request, known, case, combined(choice, transformation), transformation, spilled)
