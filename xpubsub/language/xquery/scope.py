"""The variables and namespaces in scope in a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class QueryScope:
    """The namespaces of names in paths and of constructed elements, and the slots of variables."""

    namespaces: Mapping[str, str]
    elements: Mapping[str, str]
    variables: Mapping[str, int] = field(default_factory=dict)

    def with_variable(self, name: str, slot: int) -> QueryScope:
        """Return the scope with one more variable."""
        return replace(self, variables={**self.variables, name: slot})

    def declaring(self, declared: Mapping[str, str]) -> QueryScope:
        """Return the scope inside an element that declares namespaces."""
        if not declared:
            return self
        return replace(self, namespaces={**self.namespaces, **declared}, elements={**self.elements, **declared})
