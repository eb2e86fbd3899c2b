"""`kill -9` of a job that spills and completes: nothing is lost, and each hole is filled once."""

from __future__ import annotations

import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import xpubsub
from tests.forks import FORKS
from tests.killed_job import POINTS, Moment, main, spilling_main
from tests.test_overload_job import ORDERS, SUBSCRIPTIONS, rows, undisturbed
from xpubsub.spill import merge

MOMENTS = [("add", 3, True), ("replace", 8, False), ("deliver", 2, False), ("_before_commit", 4, True)]
"""After a batch is recorded, before a file appears, between commit and delivery, before a commit."""
NEVER = Moment(0, 1 << 60, True)


def moment(name: str, call: int, after: bool) -> Moment:
    [point] = [place for place, (_, known, _) in enumerate(POINTS) if known == name]
    return Moment(point, call, after)


@pytest.mark.parametrize("policy", ["random", "whole"])
def test_killed_at_four_moments(tmp_path: Path, policy: str) -> None:
    with xpubsub.connect(tmp_path / "store") as broker:
        broker.subscribe_many(SUBSCRIPTIONS)
    (tmp_path / "in").mkdir()
    (tmp_path / "none").touch()
    for name, xml in ORDERS:
        (tmp_path / "in" / f"{name}.xml").write_text(xml)
    overload = xpubsub.Overload(policy=policy, messages=4, start=0.1, stop=0.01)
    given, files = (f"dir:{tmp_path}/in", f"dir:{tmp_path}/out"), (str(tmp_path / "none"), str(tmp_path / "standard"))
    killed = 0
    for when in [*(moment(*each) for each in MOMENTS), NEVER]:
        run = spilling_main if policy == "random" else main
        child = FORKS.Process(target=run, args=(str(tmp_path / "store"), given, {"overload": overload}, files, when))
        child.start()
        child.join()
        assert child.exitcode in (0, -signal.SIGKILL)
        killed += child.exitcode != 0
    assert killed >= 3 and child.exitcode == 0
    found = pa.concat_tables([pq.read_table(file) for file in sorted((tmp_path / "out").glob("*.parquet"))])
    expected = undisturbed([(f"{name}.xml", xml) for name, xml in ORDERS])
    parts = found["part"].to_pylist() if policy == "random" else []
    assert policy == "whole" or parts.count("reduced") == parts.count("filler") == len(ORDERS)
    assert rows(merge(found) if policy == "random" else found) == expected
    assert not list((tmp_path / "store.stream" / "outbox").iterdir())
