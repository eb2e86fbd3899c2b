"""Writes paths and conditions as the subscriber would, with the prefixes of the subscription."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xpubsub.jobs.explain.evidence import Evidence
from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.language.xpath.linear import COMPUTED, LinearStep, linear_steps
from xpubsub.language.xpath.paths import PREDECLARED
from xpubsub.language.xpath.syntax import unescaped
from xpubsub.language.xpath.written import literal, tested
from xpubsub.language.xpath1.comparisons import JOIN
from xpubsub.language.xpath1.tree_values import TreeValue, is_tree_value
from xpubsub.match.linear_paths import prefix_path

_PREFIX = re.compile(r"\b(n[0-9]+):(?!:)")
_URI = re.compile(r"\{([^}]*)\}")
LONGEST = 40
"""How many characters of a value are shown."""
MOST_VALUES = 3
"""How many values are shown where a condition fails."""


@dataclass(frozen=True)
class Parts:
    """A step's name split into its parts; a `uri` of None means any namespace."""

    kind: str
    uri: str | None
    local: str


def parts_of(name: str) -> Parts:
    """Split a name such as `{uri}name`, `*:name`, `@name` or `text()`."""
    if name == "text()":
        return Parts("text", "", name)
    if name[0] == COMPUTED:
        return Parts("text", "", unescaped(name.partition("{")[2][:-1]))
    kind, name = ("attribute", name[1:]) if name.startswith("@") else ("element", name)
    if name.startswith("*"):
        return Parts(kind, None, name.removeprefix("*:"))
    uri, _, local = name.rpartition("}")
    return Parts(kind, unescaped(uri[1:]), local)


class Names:
    """Writes names with the prefixes of a subscription, or as {uri}name where it has no prefix."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        self._namespaces = namespaces
        self._prefixes = {uri: prefix for prefix, uri in reversed([*namespaces.items()]) if prefix}
        for prefix, uri in PREDECLARED.items():
            self._prefixes.setdefault(uri, prefix)
        self._default = namespaces.get("", "")

    def prefix(self, uri: str | None) -> str:
        """Return the subscription's prefix for a namespace, or an empty string."""
        return self._prefixes.get(uri or "", "")

    def has(self, prefix: str) -> bool:
        """Whether the subscription binds a prefix."""
        return prefix in self._namespaces

    def knows(self, uri: str) -> bool:
        """Whether names of a namespace can be written with the subscription's prefixes, or without a prefix."""
        return uri in self._prefixes or uri == self._default

    def with_prefixes(self, namespaces: Mapping[str, str]) -> Names:
        """Return a copy with more prefixes."""
        return Names({**self._namespaces, **namespaces})

    def parts(self, parts: Parts) -> str:
        """Write a name that was split into its parts."""
        mark = "@" if parts.kind == "attribute" else ""
        return mark + self._name(parts)

    def _name(self, parts: Parts) -> str:
        if parts.kind == "text" or (parts.uri is None and parts.local == "*"):
            return parts.local
        if parts.uri is None:
            return f"*:{parts.local}"
        if parts.uri == (self._default if parts.kind == "element" and parts.local != "*" else ""):
            return parts.local
        prefix = self._prefixes.get(parts.uri)
        return f"{prefix}:{parts.local}" if prefix else f"{{{parts.uri}}}{parts.local}"

    def step(self, name: str) -> str:
        """Write a step of a linear path."""
        return self.parts(parts_of(name))

    def path(self, linear_path: str) -> str:
        """Write a linear path from the root."""
        return self.steps(linear_path, 0) or DOCUMENT

    def steps(self, linear_path: str, start: int) -> str:
        """Write the steps of a linear path from step `start` on."""
        steps = linear_steps(linear_path)[start:]
        return "".join(map(self._onward, steps))

    def _onward(self, step: LinearStep) -> str:
        descends, name = step
        if name.startswith(f"{COMPUTED}{JOIN}"):
            return f"[{_URI.sub(self._prefixed, self.step(name))}]"
        if is_tree_value(name):
            return f"[{self._of_tree(TreeValue.named(name))}]"
        return ("//" if descends else "/") + self.step(name)

    def _of_tree(self, value: TreeValue) -> str:
        """Write what lxml computes, with the subscription's prefixes."""
        return _PREFIX.sub(lambda found: self._prefix_of(value.namespaces.get(found[1]), found[0]), value.expression)

    def _prefix_of(self, uri: str | None, written: str) -> str:
        return f"{self.prefix(uri)}:" if self.prefix(uri) else written

    def _prefixed(self, uri: re.Match[str]) -> str:
        prefix = self.prefix(unescaped(uri[1]))
        return f"{prefix}:" if prefix else uri[0]


def shortened(value: str) -> str:
    """Write a value of the message with white space made visible, cut if it is long."""
    shown = repr(value)[1:-1].replace("\\'", "'")
    return literal(shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…")


def listed(values: Sequence[str]) -> str:
    """Write the first of several values."""
    return ", ".join(map(shortened, values[:MOST_VALUES])) + (", …" if len(values) > MOST_VALUES else "")


def branch_text(names: Names, evidence: Evidence, number: int) -> str:
    """Write one branch from the root, as `//a/b > 5`, `not(//a)` or `//a[not(b)]`, with all that is below a not()."""
    branch = evidence.branches[number]
    if not branch.negated:
        return tested(names.path(branch.linear_path), branch.test, negated=False)
    if not branch.context:
        return tested(_onward(names, evidence, number, 0) or DOCUMENT, branch.test, negated=True)
    at = branch.points[evidence.depth(number) - 1][1]
    return f"{names.path(prefix_path(branch.linear_path, at))}[{_condition(names, evidence, number, at)}]"


def _onward(names: Names, evidence: Evidence, number: int, at: int) -> str:
    """Write the steps of a branch after its branching point, with the conditions along it as predicates."""
    path, text = evidence.branches[number].linear_path, ""
    for point, position in evidence.inner(number):
        text += names.steps(prefix_path(path, position), at)
        at = position
        text += "".join(f"[{_condition(names, evidence, each, at)}]" for each in evidence.conditions(point))
    return text + names.steps(path, at)


def _condition(names: Names, evidence: Evidence, number: int, at: int) -> str:
    """Write a branch as a predicate, relative to the node at its branching point."""
    negated = evidence.branches[number].negated
    if negated and (either := _alternatives(evidence, number, at)):
        return " or ".join(_positive(names, evidence, each, at) for each in either)
    text = _positive(names, evidence, number, at)
    return f"not({text})" if negated else text


def _positive(names: Names, evidence: Evidence, number: int, at: int) -> str:
    onward = _onward(names, evidence, number, at)
    path = onward[1:] if onward.startswith("/") and not onward.startswith("//") else f".{onward}"
    return tested(path, evidence.branches[number].test, negated=False)


def _alternatives(evidence: Evidence, number: int, at: int) -> list[int]:
    """Return the parts of an `or` that was rewritten as `not(.[not(a)][not(b)])`; empty for any other branch."""
    branch, inner = evidence.branches[number], evidence.inner(number)
    here = branch.test.op == "exists" and len(linear_steps(branch.linear_path)) == at and len(inner) == 1
    conditions = evidence.conditions(inner[0][0]) if here else []
    return conditions if all(evidence.branches[each].negated for each in conditions) else []
