"""A loop over lxml's compiled XPaths: measured on a sample of subscriptions and messages, scaled to all of them.

Compiling is not part of the loop's time; parsing is, once per message.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

SAMPLE = (500, 200)
"""Subscriptions and messages."""


@dataclass(frozen=True)
class LxmlLoop:
    """What came out of a sample."""

    messages: int
    subscriptions: int
    parse: float
    evaluate: float
    """Seconds for the sample."""
    matches: set[tuple[int, int]]
    """(message, subscription)."""

    def scaled(self, messages: int, subscriptions: int) -> float:
        """Seconds for all messages and all pairs."""
        pairs = (messages / self.messages) * (subscriptions / self.subscriptions)
        return self.parse * messages / self.messages + self.evaluate * pairs


def measure(
    messages: Sequence[tuple[str, str]], texts: Sequence[str], namespaces: Mapping[str, str] | None = None,
    most: int = SAMPLE[1],
) -> LxmlLoop:
    """Measure the loop on the first messages and subscriptions."""
    compiled = [etree.XPath(f"boolean({text})", namespaces=dict(namespaces or {})) for text in texts[: SAMPLE[0]]]
    started = time.perf_counter()
    trees = [etree.fromstring(xml.encode()) for _, xml in messages[:most]]
    parsed = time.perf_counter()
    matches = {(m, s) for m, tree in enumerate(trees) for s, xpath in enumerate(compiled) if xpath(tree)}
    ended = time.perf_counter()
    return LxmlLoop(len(trees), len(compiled), parsed - started, ended - parsed, matches)


def compile_rate(texts: Sequence[str], namespaces: Mapping[str, str] | None = None) -> float:
    """Subscriptions per second that lxml merely compiles, and keeps."""
    started = time.perf_counter()
    compiled = [etree.XPath(text, namespaces=dict(namespaces or {})) for text in texts]
    return len(compiled) / (time.perf_counter() - started)
