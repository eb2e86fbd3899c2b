"""Repeated elements add up and never multiply: the rows of every step grow no faster than the message."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import xpubsub
from tests import inside
from tests.conftest import PLANS
from tests.judge import pairs
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.step import Step

BRANCHES = ("a > 0", "b > 0", "c != 'x'", "d", "contains(e, 'y')")
SUBSCRIPTIONS = [(f"s{n}", f"//item[{' and '.join(BRANCHES)}]/f > {n / 10}") for n in range(20)] + [
    ("pairs", "//item[a][b]/f and //item[c][d]/e and not(//item[a = 'none'][b])"),
]


def message(items: int) -> str:
    item = "<item><a>{0}</a><b>1</b><c>1</c><d/><e>y</e><f>7</f></item>"
    return "<order>" + "".join(item.format(number + 1) for number in range(items)) + "</order>"


@pytest.mark.parametrize("branches_in_sql", [True, False])
@pytest.mark.parametrize("plan", PLANS)
def test_four_times_the_items_are_four_times_the_rows(
    monkeypatch: pytest.MonkeyPatch, plan: str, branches_in_sql: bool
) -> None:
    rows: dict[str, list[int]] = {}
    create: Callable[..., None] = DuckDBEngine._create

    def counted(self: DuckDBEngine, name: str, sql: str) -> None:
        create(self, name, sql)
        rows.setdefault(name, []).append(self.fetch(Step("count", f"select count(*) as n from {name}"))["n"][0].as_py())

    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(SUBSCRIPTIONS)
        broker.publish([("warm", message(1))])
        monkeypatch.setattr(DuckDBEngine, "_create", counted)
        for items in (100, 400):
            result = inside.publish(broker, [("m", message(items))], plan, branches_in_sql=branches_in_sql)
            assert len(pairs(result.notifications.to_pylist())) == len(SUBSCRIPTIONS)
    for name, (small, large) in rows.items():
        assert large <= 4.1 * small + 10, f"{name}: {small} rows for 100 items, {large} for 400"
