"""The process in which Saxon evaluates queries: it reads requests, and writes an answer for each query and message.

It has neither files nor network: Saxon refuses both, and the process gives up the right to open anything before it
reads its first request. A query that hangs, or takes all memory, is ended with the process.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import signal
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

Answer = tuple[str | None, str | None, str | None] | None
"""An output, or the code and the reason of an error; None if the message does not match."""
STATIC, EVALUATE, READY = "static", "evaluate", "ready"
_GRACE = 2.0
"""Seconds after which a query that is over its time ends the process, if the one that should do so is gone."""
_MOST_QUERIES = 2_000
_SETTINGS = {
    "http://saxon.sf.net/feature/optimizationLevel": "0",
    "http://saxon.sf.net/feature/allowedProtocols": "",
    "http://saxon.sf.net/feature/allow-external-functions": "false",
}
"""Without its optimizer Saxon answers some queries that it fails on with it."""
_MESSAGE = "{urn:xpubsub:message}message"
_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*\?>")
_CODE = re.compile(r"\b([A-Z]{4}\d{4})\b:?\s+(.*)", re.DOTALL)
_PLACE = re.compile(r"line (\d+) column (\d+)|at char (\d+)")


class Queries:
    """Saxon, and the queries that it has compiled last."""

    def __init__(self) -> None:
        from saxonche import PySaxonProcessor

        self._saxon = PySaxonProcessor(license=False)
        for name, value in _SETTINGS.items():
            self._saxon.set_configuration_property(name, value)
        self._compiled: OrderedDict[str, Any] = OrderedDict()

    def parsed(self, source: bytes) -> Any:
        """Parse a message, given in UTF-8."""
        text = _DECLARATION.sub("", source.decode("utf-8"), count=1)
        try:
            return self._saxon.parse_xml(xml_text=text)
        except Exception:
            return self._saxon.parse_xml(xml_text=_without_doctype(source))

    def answer(self, query: str, message: Any) -> Answer:
        """Evaluate a query in a message."""
        try:
            return _answered(self._compile(query)(message))
        except Exception as error:
            return None, *said_error(str(error))

    def check(self, query: str) -> tuple[str, str, int, int] | None:
        """Return the code, reason, line and column of a static error; None if there is none."""
        try:
            self._compile(query)(self._saxon.parse_xml(xml_text="<message/>"))
        except Exception as error:
            text = str(error)
            if "tatic error" in text or _code(text)[0].startswith(("XPST", "XQST")):
                found = _PLACE.search(text)
                line, column, char = found.groups() if found else (None, None, None)
                return *said_error(text), int(line or 1), int(column or char or 1)
        return None

    def _compile(self, query: str) -> Any:
        if query not in self._compiled:
            while len(self._compiled) >= _MOST_QUERIES:
                self._compiled.popitem(last=False)
            self._compiled[query] = self._made(query)
        self._compiled.move_to_end(query)
        return self._compiled[query]

    def _made(self, query: str) -> Any:
        """Return a query as a function of a message."""
        processor = self._saxon.new_xquery_processor()
        processor.set_query_content(query)
        if f" declare variable $Q{_MESSAGE} external;" not in query:
            function = processor.run_query_to_value().head
            return lambda message: function.call([message])

        def evaluated(message: Any) -> Any:
            processor.clear_parameters()
            processor.set_parameter(_MESSAGE, message)
            processor.set_context(xdm_item=message)
            return processor.run_query_to_value()
        return evaluated


def _answered(value: Any) -> Answer:
    if value is None or not value.size:
        return None
    texts = [value.item_at(place).string_value for place in range(value.size)]
    return (texts[0], None, None) if len(texts) == 1 else (None, texts[0], _line(texts[1]))


def said_error(text: str) -> tuple[str, str]:
    """Return the code and the reason in a message of Saxon."""
    code, reason = _code(text)
    return code, _line(reason)


def _code(text: str) -> tuple[str, str]:
    found = _CODE.search(text)
    return (found[1], found[2]) if found else ("error", text)


def _line(text: str) -> str:
    return " ".join(text.split())


def _without_doctype(source: bytes) -> str:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, encoding="utf-8")
    return str(etree.tostring(etree.fromstring(source, parser), encoding="unicode"))


def _give_up_files() -> None:
    """Let no further file or socket be opened by this process."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def main() -> None:
    """Answer requests from standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    from lxml import etree

    etree.fromstring(b"<m/>", etree.XMLParser(load_dtd=False))
    queries = Queries()
    queries.answer('function($m) { format-date(current-date(), "[MNn]"), upper-case($m) }', queries.parsed(b"<m/>"))
    _give_up_files()
    _send(answers, READY)
    while True:
        try:
            kind, given, seconds = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        _bounded(seconds)
        for answer in [queries.check(given)] if kind == STATIC else _answers(queries, given):
            _send(answers, answer)
            _bounded(seconds)
        _bounded(None)


def _bounded(seconds: float | None) -> None:
    """Let the kernel end this process unless the next answer comes in time; None means that nothing is asked."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.0 if seconds is None else seconds + _GRACE)


def _answers(queries: Queries, asked: list[tuple[bytes, list[str]]]) -> Iterator[Answer]:
    """Yield the answers to queries in messages, each of which is parsed once."""
    for source, texts in asked:
        try:
            message = queries.parsed(source)
        except Exception as error:
            yield from ((None, *said_error(str(error))) for _ in texts)
            continue
        for text in texts:
            yield queries.answer(text, message)


def _send(pipe: Any, thing: object) -> None:
    pipe.write(json.dumps(thing).encode() + b"\n")
    pipe.flush()
