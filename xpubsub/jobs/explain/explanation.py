"""What `explain` returns: whether messages match, the reasons as values, and all of it as readable text."""

from __future__ import annotations

from dataclasses import dataclass

_FIRST = "   <-- this fails first"
_READABLE = ("late", "future", "duplicate-id")
"""The codes of rejections that do not mean the XML is unreadable."""


@dataclass(frozen=True)
class Unreadable:
    """Why a message is rejected, and where."""

    code: str
    reason: str
    line: int | None
    column: int | None
    message: str = "the message"

    def __str__(self) -> str:
        place = f" at line {self.line}, column {self.column}" if self.line is not None else ""
        what = "is rejected" if self.code in _READABLE else "cannot be read"
        return f"{self.message} {what}: {self.reason} [{self.code}]{place}"


@dataclass(frozen=True)
class Elsewhere:
    """A message was published to a stream that the subscription does not read."""

    reads: str
    published: str
    would_match: bool
    message: str = "the message"

    def __str__(self) -> str:
        return f"reads stream {self.reads!r}; {self.message} was published to {self.published!r}"


@dataclass(frozen=True)
class BranchReport:
    """One branch: its condition, whether it holds on its own, what was found, and a hint at what may be meant."""

    condition: str
    holds: bool
    found: int
    passing: int
    detail: str
    hint: str | None = None

    def __str__(self) -> str:
        hint = f" — {self.hint}" if self.hint else ""
        return f"{'✓' if self.holds else '✗'} {self.condition}: {self.detail}{hint}"


@dataclass(frozen=True)
class QueryReport:
    """One alternative of the subscription: its branches, and why they do not hold together."""

    matches: bool
    branches: tuple[BranchReport, ...]
    apart: str | None = None
    title: str | None = None
    """What the report is about, unless it is an alternative of a filter."""
    elsewhere: Elsewhere | None = None
    """Set if the message was published to another stream."""

    @property
    def first_failure(self) -> str | None:
        """Return the first thing that fails, or None."""
        return next((line for line in self._plain() if line.startswith("✗")), None)

    def lines(self) -> list[str]:
        """Return one line per branch, with the first failure marked."""
        lines = self._plain()
        failing = next((index for index, line in enumerate(lines) if line.startswith("✗")), None)
        return [line + _FIRST if index == failing else line for index, line in enumerate(lines)]

    def _plain(self) -> list[str]:
        before, after = ([f"✗ {why}"] if why else [] for why in (self.elsewhere, self.apart))
        return [*before, *map(str, self.branches), *after]


@dataclass(frozen=True)
class Explanation:
    """Whether one or more messages match a subscription, and why; `str()` gives readable text."""

    subscription_id: str
    text: str
    matches: bool
    queries: tuple[QueryReport, ...] = ()
    unreadable: Unreadable | None = None
    elsewhere: Elsewhere | None = None
    """Set if the message was published to another stream; `queries` then describe the stream that is read."""
    notes: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    """The outputs that a correlation produces from the messages."""

    def __str__(self) -> str:
        head = f"{self.subscription_id} {'matches' if self.matches else 'does not match'}: {self.text}"
        return "\n".join([head, *_indented(self._lines())])

    def _lines(self) -> list[str]:
        rejected = [str(self.unreadable)] if self.unreadable else []
        tail = [*self.notes, *(f"output: {output}" for output in self.outputs)]
        if self.elsewhere is None or self.unreadable:
            return [*rejected, *self._reports(), *tail]
        would = "would match" if self.elsewhere.would_match else "would not match either"
        heading = f"on stream {self.elsewhere.reads!r} it {would}:"
        return [f"✗ {self.elsewhere}{_FIRST}", heading, *_indented(self._reports()), *tail]

    def _reports(self) -> list[str]:
        if not self.queries and not self.unreadable and not self.notes:
            return ["✗ this subscription can never match: its conditions contradict each other"]
        if len(self.queries) == 1 and self.queries[0].title is None:
            return self.queries[0].lines()
        lines: list[str] = []
        for number, query in enumerate(self.queries, start=1):
            holds = f"alternative {number} of {len(self.queries)} {'holds' if query.matches else 'fails'}"
            lines += [f"{query.title or holds}:", *_indented(query.lines())]
        return lines


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]
