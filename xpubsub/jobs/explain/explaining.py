"""The entry point of `explain`: checks the arguments and explains a subscription of any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from xpubsub.checks import check_iterable, check_text
from xpubsub.errors import Error
from xpubsub.jobs.explain.alone import AskedMessage, rejected, store_of
from xpubsub.jobs.explain.correlations import explain_correlation
from xpubsub.jobs.explain.explanation import Elsewhere, Explanation
from xpubsub.jobs.explain.filters import explain_subscription
from xpubsub.jobs.explain.queries import explain_query
from xpubsub.jobs.explain.transformations import explain_transformation
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.publisher import Publisher
from xpubsub.jobs.publish.times import seconds
from xpubsub.language.xpath1.ways import INDEXED
from xpubsub.limits import Limits
from xpubsub.store.listing import Shown

_OF_ONE: dict[str, Callable[[Shown, str | bytes, Limits], Explanation]] = {
    "filter": explain_subscription, "transformation": explain_transformation,
}


def asked(xmls: Sequence[Any], stream: str | Iterable[str], times: Iterable[Any] | None) -> list[AskedMessage]:
    """Combine messages with their streams (one for all, or one each) and their times, if given."""
    number = len(xmls)
    streams = [stream] * number if isinstance(stream, str) else _each("streams", stream, number)
    given = [None] * number if times is None else _each("times", times, number)
    for time in given:
        if time is not None:
            seconds(time)
    named = [check_text("a stream's name", each) for each in streams]
    return [AskedMessage(*each) for each in zip(xmls, named, given, strict=True)]


def _each(what: str, given: Iterable[Any], number: int) -> list[Any]:
    each = list(check_iterable(what, given))
    if len(each) != number:
        several = f"{number} message{'s' * (number != 1)}"
        raise Error(f"{what}: give one for each message; there are {len(each)} for {several}")
    return each


def explain(shown: Shown, messages: Sequence[AskedMessage], limits: Limits) -> Explanation:
    """Explain why publishing the messages, in this order, notifies the subscription or does not."""
    if shown.kind == "correlation":
        return explain_correlation(shown, messages, limits)
    if len(messages) != 1:
        raise Error(f"{shown.subscription_id!r} is a {shown.kind}: give 1 message to explain, not {len(messages)}")
    [message] = messages
    return _timed(shown, message, _read(shown, message, limits), limits)


def _read(shown: Shown, message: AskedMessage, limits: Limits) -> Explanation:
    by_saxon = shown.kind == "transformation" and shown.way != INDEXED
    explanation = (explain_query if by_saxon else _OF_ONE[shown.kind])(shown, message.xml, limits)
    if message.stream == shown.stream:
        return explanation
    elsewhere = Elsewhere(shown.stream, message.stream, explanation.matches)
    return replace(explanation, matches=False, elsewhere=elsewhere)


def _timed(shown: Shown, message: AskedMessage, explanation: Explanation, limits: Limits) -> Explanation:
    """Return the explanation, or that the message is rejected for its time."""
    if message.time is None or explanation.unreadable:
        return explanation
    with store_of(shown, limits) as store:
        given = "message", message.xml, message.time
        refused = rejected(Publisher(store, limits).publish(Batch([given], message.stream)))
    return explanation if refused is None else replace(explanation, matches=False, unreadable=refused)
