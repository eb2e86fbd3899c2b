"""The judge of XQuery: Saxon, with the message as the context item."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from lxml import etree


@cache
def processor() -> Any:
    from saxonche import PySaxonProcessor

    return PySaxonProcessor(license=False)


def canonical(content: str) -> str:
    """Some XML content as canonical XML, wrapped."""
    root = etree.fromstring(f"<wrapped>{content}</wrapped>".encode())
    return etree.tostring(root, method="c14n").decode()


class Judge:
    """Evaluates one query in many messages."""

    def __init__(self, query: str, prolog: str = "") -> None:
        self._query = processor().new_xquery_processor()
        self._query.set_property("!omit-xml-declaration", "yes")
        self._query.set_query_content(f"{prolog}<wrapped>{{ {query} }}</wrapped>")

    def evaluate(self, document: Any) -> str:
        """The result as canonical XML, wrapped."""
        self._query.set_context(xdm_item=document)
        result = self._query.run_query_to_string()
        if result is None:
            raise AssertionError(self._query.error_message)
        return etree.tostring(etree.fromstring(result.encode()), method="c14n").decode()


def parsed(documents: Mapping[str, str]) -> dict[str, Any]:
    """Messages as Saxon sees them."""
    return {name: processor().parse_xml(xml_text=text) for name, text in documents.items()}
