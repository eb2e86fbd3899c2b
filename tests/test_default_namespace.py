"""Elements of no namespace, copied to where a default namespace is declared: Saxon decides."""

from __future__ import annotations

import pytest

import xpubsub
from tests.saxon import Judge, canonical, parsed

TEXT = 'for $x in /r/* return <o xmlns="urn:o">{ $x }</o>'
MESSAGES = {
    "a prefixed element declares a default namespace": '<r xmlns:p="urn:p"><p:a><p:b xmlns="urn:d"><c><d/></c></p:b><c/></p:a></r>',
    "the copied element itself declares it": '<r xmlns:p="urn:p"><a xmlns="urn:d"><c/></a><p:a xmlns="urn:d"><c/></p:a></r>',
    "an empty prefixed element declares it": '<r xmlns:p="urn:p"><p:a><p:b xmlns="urn:d"/><c/></p:a></r>',
    "a prefixed element undeclares it": '<r xmlns:p="urn:p"><p:a><p:b xmlns=""><c/></p:b><c/></p:a></r>',
    "a value looks like a declaration": '<r xmlns:p="urn:p"><p:a><c k="a xmlns=b"><d/></c><c k=\' xmlns="u"\'/></p:a></r>',
    "nested in one another": '<r xmlns:p="urn:p"><p:a><c><p:b xmlns="urn:d"><d/></p:b><d/></c><p:b xmlns="urn:d"><c/></p:b><c/></p:a></r>',
}


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The output for each message."""
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("t", TEXT)
        found = broker.publish(MESSAGES.items()).notifications.to_pylist()
    return {row["message_id"]: row["output"] for row in found}


@pytest.mark.parametrize("name", MESSAGES)
def test_copies_keep_their_namespaces_where_a_default_is_declared(name: str, made: dict[str, str]) -> None:
    assert canonical(made[name]) == Judge(TEXT).evaluate(parsed({"m": MESSAGES[name]})["m"])
