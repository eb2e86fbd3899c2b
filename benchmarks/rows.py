"""Measurements as rows, and the JSON file that keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from benchmarks.bars import BARS


@dataclass(frozen=True)
class Row:
    """One measurement."""

    workload: str
    name: str
    figure: float
    unit: str
    engine: str = "duckdb"
    sizes: Mapping[str, float] = field(default_factory=dict)
    baseline: str = ""
    """What it is measured beside."""
    baseline_figure: float | None = None
    faster: bool = False
    """Whether the ratio is how many times faster than the baseline it is, not how many times as long it takes."""
    bar: str = ""
    """A key of `BARS`."""
    more_is_better: bool = False
    timings: Mapping[str, float] = field(default_factory=dict)
    """Seconds by step."""
    baseline_timings: Mapping[str, float] = field(default_factory=dict)
    plots: Sequence[str] = ()
    """The plots it is part of."""
    curve: Sequence[tuple[float, float]] = ()
    """How the figure came about, over seconds."""

    @property
    def key(self) -> str:
        """What tells it from the other rows of a run."""
        return f"{self.workload}: {self.name}, {self.engine}"

    @property
    def ratio(self) -> float | None:
        """The figure and the baseline's, compared."""
        if self.baseline_figure is None:
            return None
        over, under = (self.baseline_figure, self.figure) if self.faster else (self.figure, self.baseline_figure)
        return over / under

    @property
    def judged(self) -> float | None:
        """What the bar is on: the ratio or the figure."""
        return self.figure if self.bar and not BARS[self.bar].of_ratio else self.ratio

    @property
    def reached(self) -> bool | None:
        """Whether the bar is reached, if there is one."""
        return BARS[self.bar].holds(self.judged) if self.bar and self.judged is not None else None

    def to_json(self) -> dict[str, Any]:
        """All fields and what follows from them."""
        bar = BARS[self.bar].text if self.bar else ""
        return {**asdict(self), "ratio": self.ratio, "bar_text": bar, "reached": self.reached}


@dataclass
class Run:
    """The rows of one run, where and with what they were measured, and which parts failed."""

    date: str
    commit: str
    machine: Mapping[str, str | int]
    versions: Mapping[str, str]
    options: Mapping[str, Any]
    rows: list[Row] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        """Write the JSON file, replacing an older one as a whole."""
        content = {each.name: getattr(self, each.name) for each in fields(self)}
        content["rows"] = [row.to_json() for row in self.rows]
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_name(path.name + ".part")
        written.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        written.replace(path)


def read_run(path: Path) -> Run:
    """A run from its JSON file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    names = {each.name for each in fields(Row)}
    rows = [Row(**{name: value for name, value in row.items() if name in names}) for row in content.pop("rows")]
    return Run(**content, rows=rows)
