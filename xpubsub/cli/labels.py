"""Ids and times of messages that stand in the messages themselves: `--id-path` and `--time-path`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click
from lxml import etree

from xpubsub.cli.options import given_time
from xpubsub.cli.received import Refuse, TimedMessage
from xpubsub.errors import Error
from xpubsub.jobs.publish.times import seconds

_SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": True}
_OF_BYTES, _OF_TEXT = etree.XMLParser(**_SAFE), etree.XMLParser(**_SAFE, encoding="utf-8")
"""Parsers; what a text declares as its encoding does not matter."""


class Labels:
    """XPaths to the id and to the time of a message; None for what the message does not say."""

    def __init__(self, id_path: str | None, time_path: str | None, namespaces: Mapping[str, str]) -> None:
        self._id = _compiled("--id-path", id_path, namespaces)
        self._time = _compiled("--time-path", time_path, namespaces)

    def __bool__(self) -> bool:
        return self._id is not None or self._time is not None

    def put_on(self, messages: Iterator[TimedMessage], refuse: Refuse) -> Iterator[TimedMessage]:
        """Yield the messages with their ids and times; what is not well-formed is left to `publish` to reject."""
        for message in messages:
            root = _root(message[1])
            labelled = message if root is None else self._labelled(message, root, refuse)
            if labelled is not None:
                yield labelled

    def _labelled(self, message: TimedMessage, root: etree._Element, refuse: Refuse) -> TimedMessage | None:
        name, xml, at = message
        if self._id is not None:
            found = self._id(root)
            if not found:
                refuse(name, "no-id", "--id-path finds nothing in the message")
                return None
            name = found
        if self._time is not None:
            try:
                at = seconds(given_time(self._time(root)), "--time-path")
            except Error as error:
                refuse(name, "no-time", str(error))
                return None
        return name, xml, at


def _compiled(option: str, path: str | None, namespaces: Mapping[str, str]) -> etree.XPath | None:
    """Compile a path to the string value of what it finds first, without white space around it."""
    if path is None:
        return None
    if "" in namespaces:
        raise click.UsageError(f"{option} needs a prefix for names in a namespace: --namespace p=URI and //p:name")
    try:
        found = etree.XPath(f"normalize-space({path})", namespaces=dict(namespaces))
        found(etree.Element("a"))
    except etree.XPathError as error:
        raise click.UsageError(f"{option} {path!r}: {error}") from None
    return found


def _root(xml: object) -> etree._Element | None:
    try:
        if isinstance(xml, str):
            return etree.fromstring(xml.encode(), _OF_TEXT)
        return etree.fromstring(xml, _OF_BYTES) if isinstance(xml, bytes) else None
    except (etree.XMLSyntaxError, ValueError):
        return None
