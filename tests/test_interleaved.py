"""Subscribing, removing, collecting and publishing in any order: every publish agrees with lxml."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

import xpubsub
from tests import inside
from tests.conftest import PLANS
from tests.generate import NAMESPACES, Expressions, Messages
from tests.judge import pairs, verdicts
from tests.test_agreement import accepted


class Interleaved(RuleBasedStateMachine):
    """A store over time, with the expressions it should hold beside it."""

    @initialize(seed=st.integers(0, 10**9), slots=st.integers(1, 8))
    def open(self, seed: int, slots: int) -> None:
        self.random = Random(seed)
        self.source, self.messages = Expressions(self.random), Messages(self.random)
        self.broker = xpubsub.connect(":memory:", slots=slots)
        self.held: dict[str, str] = {}
        self.given: list[tuple[str, str]] = []

    @rule(count=st.integers(1, 6), again=st.booleans(), together=st.sampled_from([True, True, False]))
    def subscribe(self, count: int, again: bool, together: bool) -> None:
        rows: list[tuple[str, str]] = []
        for _ in range(count):
            ours, theirs = self.random.choice(self.given) if again and self.given else self.source.expression()
            if accepted(ours, NAMESPACES, "xpath"):
                self.given.append((ours, theirs))
                rows.append((f"s{len(self.given)}", ours))
                self.held[rows[-1][0]] = theirs
        for call in [rows] if together else [[row] for row in rows]:
            assert self.broker.subscribe_many(call, namespaces=NAMESPACES) == len(call)

    @rule()
    def unsubscribe(self) -> None:
        leaving = [name for name in self.held if self.random.random() < 0.4]
        assert sorted(self.broker.unsubscribe([*leaving, "unknown"])) == sorted(leaving)
        for name in leaving:
            del self.held[name]

    @rule()
    def collect(self) -> None:
        self.broker.gc()
        assert self.broker.stats()["removed, not yet collected"] == 0

    @rule(plan=st.sampled_from(PLANS), in_sql=st.booleans(), count=st.integers(1, 5))
    def publish(self, plan: str, in_sql: bool, count: int) -> None:
        messages = {f"m{number}": self.messages.message() for number in range(count)}
        result = inside.publish(self.broker, messages.items(), plan, branches_in_sql=in_sql)
        assert pairs(result.notifications.to_pylist()) == verdicts(messages, self.held, NAMESPACES)

    def teardown(self) -> None:
        if hasattr(self, "broker"):
            self.broker.close()


TestInterleaved = Interleaved.TestCase
TestInterleaved.settings = settings(
    max_examples=8, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
)
