"""Writes items as XML: the content and the attributes of constructed elements."""

from __future__ import annotations

import re

from xpubsub.errors import DynamicError
from xpubsub.language.flwr.tags import declarations, escaped_attribute, escaped_text
from xpubsub.language.xpath.tokens import NCNAME
from xpubsub.output.attribute_prefixes import Bindings, bindings, settled
from xpubsub.output.default_namespace import without_default
from xpubsub.output.evaluation.items import (
    AttributeNode,
    MadeAttribute,
    MadeNode,
    XItems,
    XNode,
    value_text,
)
from xpubsub.output.evaluation.run import Environment, Evaluate, Run
from xpubsub.output.parts import Node as Code

AttributePart = str | Evaluate
"""A part of an attribute's value: text as it is written, or an expression."""
_QNAME = re.compile(rf"[ \t\r\n]*(?:({NCNAME}):)?({NCNAME})[ \t\r\n]*")
_WRITTEN = re.compile(r' ([^\s=]+)="([^"]*)"')


def content_text(run: Run, items: XItems, *, has_default: bool) -> str:
    """Return items as content, with a space between atomic values."""
    parts: list[str] = []
    after_value = False
    for each in items:
        if isinstance(each, AttributeNode | MadeAttribute):
            raise DynamicError("XQTY0024", "an attribute comes after content, or is outside an element")
        if isinstance(each, XNode):
            parts.append(run.message.copy(int(each), has_default))
            after_value = False
        elif isinstance(each, MadeNode):
            parts.append(without_default(each.text) if has_default and each.bare else each.text)
            after_value = False
        else:
            parts.append((" " if after_value else "") + escaped_text(value_text(each)))
            after_value = True
    return "".join(parts)


def element_writer(
    code: Code, attributes: list[list[AttributePart]], contents: list[Evaluate]
) -> Evaluate:
    """Return the function that writes an element: its own attributes, those that are copied, and its content."""
    _, opening, closing, has_default, bare, named, _ = code
    own = {(uri, local) for _, uri, local, _ in named}
    around = bindings(opening)
    written = [name for name, *_ in named]

    def write(run: Run, environment: Environment) -> XItems:
        start = opening + "".join([
            f' {name}="{"".join([_part(each, run, environment) for each in parts])}"'
            for name, parts in zip(written, attributes, strict=True)])
        pieces: list[str] = []
        found: list[str] = []
        for each in contents:
            items = each(run, environment)
            if not items:
                continue
            number = _leading(items) if not any(pieces) else 0
            found += [_written(run, one) for one in items[:number]]
            pieces.append(content_text(run, items[number:], has_default=has_default))
        if found:
            start += _copied(found, own, around)
        inside = "".join(pieces)
        return [MadeNode(f"{start}>{inside}{closing}" if inside else f"{start}/>", bare)]
    return write


def _leading(items: XItems) -> int:
    return next((place for place, each in enumerate(items) if not isinstance(each, AttributeNode | MadeAttribute)),
                len(items))


def _part(part: AttributePart, run: Run, environment: Environment) -> str:
    if isinstance(part, str):
        return part
    return escaped_attribute(" ".join(map(value_text, run.values(part(run, environment)))))


def _written(run: Run, item: AttributeNode | MadeAttribute) -> str:
    return item.written if isinstance(item, MadeAttribute) else run.message.copies[int(item)][0]


def _copied(found: list[str], own: set[tuple[str, str]], around: Bindings) -> str:
    """Return copied attributes as they are written in an element; two of one name are an error."""
    names, namespace = set(own), ""
    for each in found:
        for name, value in _WRITTEN.findall(each):
            prefix, _, local = name.rpartition(":")
            if prefix == "xmlns":
                namespace = value
                continue
            expanded = namespace if prefix != "xml" else "xml", local
            if expanded in names:
                raise DynamicError("XQDY0025", f"two attributes {local}")
            names.add(expanded)
            namespace = ""
    text = "".join(found)
    return settled(text, around) if "xmlns:" in text else text


def attribute_item(written: str, uri: str, values: XItems) -> MadeAttribute:
    """Return a constructed attribute."""
    value, prefix = " ".join(map(value_text, values)), written.rpartition(":")[0]
    declared = declarations({prefix: uri}) if prefix and prefix != "xml" else ""
    return MadeAttribute(f'{declared} {written}="{escaped_attribute(value)}"', value)


def named_item(run: Run, kind: str, name: XItems, prefixes: dict[str, str], content: XItems) -> XItems:
    """Return an element or attribute whose name is computed."""
    if len(name) != 1 or not isinstance(name[0], str):
        raise DynamicError("XPTY0004", "the name of a constructed node must be one string")
    match = _QNAME.fullmatch(name[0])
    if match is None or (match[1] and match[1] not in prefixes):
        raise DynamicError("XQDY0074", f"{name[0][:60]!r} is not a name")
    prefix, local = match[1] or "", match[2]
    written, uri = f"{prefix}:{local}" if prefix else local, prefixes[prefix] if prefix else ""
    if kind == "attribute":
        if written == "xmlns":
            raise DynamicError("XQDY0044", "an attribute cannot declare a namespace")
        return [attribute_item(written, uri, content)]
    opening = f"<{written}{declarations({prefix: uri}) if prefix and prefix != 'xml' else ''}"
    number = _leading(content)
    start = opening + _copied([_written(run, each) for each in content[:number]], set(), bindings(opening))
    inside = content_text(run, content[number:], has_default=False)
    return [MadeNode(f"{start}>{inside}</{written}>" if inside else f"{start}/>", True)]
