"""Uses claims on paths (Diao 2003, section 4): which DISTINCTs and sorts can be left out, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xpubsub.language.xpath.linear import linear_steps
from xpubsub.schema.claims import canonical, in_order, no_duplicates
from xpubsub.schema.element_graph import Schema


@dataclass(frozen=True)
class BasedPath:
    """A linear path and the number of its step that is the base; 0 is the document."""

    linear_path: str
    base: int

    @property
    def shown(self) -> str:
        """The path as text, with ` … ` after its base."""
        steps = linear_steps(self.linear_path)
        texts = [("//" if descends else "/") + name for descends, name in steps]
        return "".join([*texts[: self.base], " … " if self.base else "", *texts[self.base :]])


@dataclass(frozen=True)
class Claims:
    """The claims in use: none, those from paths, or also those from a schema."""

    used: bool = True
    schema: Schema | None = None

    def unique(self, path: BasedPath) -> str | None:
        """Return the claim by which a path reaches a node from its base in one way at most, or None."""
        steps = linear_steps(path.linear_path)[path.base :]
        return no_duplicates(steps, 0, self.schema) if self.used else None

    def ordered(self, path: BasedPath) -> str | None:
        """Return the claims by which a search below the base finds nodes in document order; None without them."""
        steps = linear_steps(path.linear_path)[path.base :]
        reasons = [in_order(steps, step, self.schema) for step in range(1, len(steps))] if self.used else [None]
        return ", ".join(dict.fromkeys(filter(None, reasons))) or "one step" if all(reasons) else None

    def representatives(self, paths: Mapping[int, BasedPath]) -> dict[int, int]:
        """Return, for each path by id, the first path with the same canonical form: both reach the same nodes."""
        if self.schema is None:
            return {number: number for number in paths}
        first: dict[tuple[str, int], int] = {}
        return {number: first.setdefault(_canonical(paths[number], self.schema), number) for number in sorted(paths)}

    def described(self, repeating: Iterable[BasedPath]) -> list[str]:
        """Return a line for each path by which tuples may repeat: whether DISTINCT is used, and why."""
        return [f"{path.shown}: {self._reason(path)}" for path in repeating]

    def _reason(self, path: BasedPath) -> str:
        claim = self.unique(path)
        if claim is not None:
            return f"no DISTINCT, by {claim}{' and the schema' if claim.endswith('2') else ''}"
        return "DISTINCT: the same node may be reached in several ways" if self.used else "DISTINCT, by no-claims"


def _canonical(path: BasedPath, schema: Schema) -> tuple[str, int]:
    text, numbers = canonical(path.linear_path, schema)
    return text, numbers[path.base]
