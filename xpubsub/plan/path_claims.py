"""What is made of the claims on paths (Diao 2003, section 4): which DISTINCTs and sorts can be left out, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xpubsub.language.xpath.linear import linear_steps
from xpubsub.schema.claims import canonical, in_order, no_duplicates
from xpubsub.schema.element_graph import Schema


@dataclass(frozen=True)
class BasedPath:
    """A linear path and the step of it at which its base stands; 0 is the document."""

    linear_path: str
    base: int

    @property
    def shown(self) -> str:
        """The base marked on the path: `/a(base)//b`."""
        steps = linear_steps(self.linear_path)
        texts = [("//" if descends else "/") + name for descends, name in steps]
        return "".join([*texts[: self.base], " … " if self.base else "", *texts[self.base :]])


@dataclass(frozen=True)
class Claims:
    """What is taken for granted: nothing, what the paths say, or also what a schema says."""

    used: bool = True
    schema: Schema | None = None

    def unique(self, path: BasedPath) -> str | None:
        """By which claim a path leads from its base to a node in one way at most; None if there may be several."""
        steps = linear_steps(path.linear_path)[path.base :]
        return no_duplicates(steps, 0, self.schema) if self.used else None

    def ordered(self, path: BasedPath) -> str | None:
        """By which claims a search below the base finds nodes in document order."""
        steps = linear_steps(path.linear_path)[path.base :]
        reasons = [in_order(steps, step, self.schema) for step in range(1, len(steps))] if self.used else [None]
        return ", ".join(dict.fromkeys(filter(None, reasons))) or "one step" if all(reasons) else None

    def representatives(self, paths: Mapping[int, BasedPath]) -> dict[int, int]:
        """For each path by id one that leads to the same nodes: of those with the same canonical form, the first."""
        if self.schema is None:
            return {number: number for number in paths}
        first: dict[tuple[str, int], int] = {}
        return {number: first.setdefault(_canonical(paths[number], self.schema), number) for number in sorted(paths)}

    def described(self, repeating: Iterable[BasedPath]) -> list[str]:
        """One line for each path by which tuples may repeat: whether they are made distinct, and why."""
        return [f"{path.shown}: {self._reason(path)}" for path in repeating]

    def _reason(self, path: BasedPath) -> str:
        claim = self.unique(path)
        if claim is not None:
            return f"no DISTINCT, by {claim}{' and the schema' if claim.endswith('2') else ''}"
        return "DISTINCT: the same node may be reached in several ways" if self.used else "DISTINCT, as asked for"


def _canonical(path: BasedPath, schema: Schema) -> tuple[str, int]:
    text, numbers = canonical(path.linear_path, schema)
    return text, numbers[path.base]
