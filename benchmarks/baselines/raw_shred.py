"""The least that turns XML into rows of tag path and value: expat with three handlers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.parsers import expat


@dataclass
class Shredded:
    """One row per attribute and per text: the message's number, the tag path, the value."""

    messages: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)


def raw_shred(messages: Iterable[tuple[str, str]]) -> Shredded:
    """All rows of a batch; text without anything but white space is left out."""
    rows, stack, number = Shredded(), [""], 0
    add_message, add_path, add_value = rows.messages.append, rows.paths.append, rows.values.append

    def start(name: str, attributes: dict[str, str]) -> None:
        stack.append(f"{stack[-1]}/{name}")
        for attribute, value in attributes.items():
            add_message(number)
            add_path(f"{stack[-1]}/@{attribute}")
            add_value(value)

    def end(_: str) -> None:
        stack.pop()

    def text(value: str) -> None:
        if not value.isspace():
            add_message(number)
            add_path(stack[-1])
            add_value(value)

    for number, (_, xml) in enumerate(messages):  # noqa: B007
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
        parser.Parse(xml, True)
    return rows
