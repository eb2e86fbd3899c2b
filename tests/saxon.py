"""The judge of XQuery: Saxon, with the message as the context item."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from lxml import etree

_MADE_UP = re.compile(r"\b\w+_\d+:")


@cache
def processor() -> Any:
    from saxonche import PySaxonProcessor

    made = PySaxonProcessor(license=False)
    made.set_configuration_property("http://saxon.sf.net/feature/optimizationLevel", "0")  # it fails on some queries
    return made


def canonical(content: str) -> str:
    """Some XML content as canonical XML, wrapped."""
    return canonical_text(f"<wrapped>{content}</wrapped>")


def canonical_text(text: str) -> str:
    """A document as canonical XML."""
    return etree.tostring(etree.fromstring(text.encode()), method="c14n").decode()


def comparable(text: str) -> Any:
    """A document without the names of the prefixes that were made up (p_1 and so on), which are anyone's choice."""
    return _comparable(etree.fromstring(text.encode())) if _MADE_UP.search(text) else canonical_text(text)


def _comparable(node: Any) -> Any:
    if not isinstance(node.tag, str):
        return str(node.tag), node.text, node.tail
    scope = {(prefix or "", uri) for prefix, uri in node.nsmap.items() if not _MADE_UP.match(f"{prefix}:")}
    return node.tag, node.prefix, sorted(scope), sorted(node.items()), node.text, node.tail, [_comparable(child) for child in node]


class Judge:
    """Evaluates one query in many messages; `bound` says when there is a result at all."""

    def __init__(self, query: str, bound: str = "true()", prolog: str = "") -> None:
        self._query = processor().new_xquery_processor()
        self._query.set_property("!omit-xml-declaration", "yes")
        self._query.set_query_content(f"{prolog} if ({bound}) then <wrapped>{{ {query} }}</wrapped> else <none/>")

    def evaluate(self, document: Any) -> str | None:
        """The result as canonical XML, wrapped, or None."""
        self._query.set_context(xdm_item=document)
        result = self._query.run_query_to_string()
        if result is None:
            raise AssertionError(self._query.error_message)
        return None if result == "<none/>" else canonical_text(result)


def parsed(documents: Mapping[str, str]) -> dict[str, Any]:
    """Messages as Saxon sees them."""
    return {name: processor().parse_xml(xml_text=text) for name, text in documents.items()}
