"""Copies leave the DTD of a message behind: they say what it adds, and agree with Saxon."""

from __future__ import annotations

import pytest

import xpubsub
from tests.saxon import Judge, canonical, parsed

DTD = """<!DOCTYPE r [<!ATTLIST r xmlns:p CDATA "urn:p" d CDATA "1&lt;&#10;2"> <!ATTLIST r d CDATA "second">
<!ATTLIST z k CDATA #IMPLIED> <!ATTLIST z k CDATA "second">
<!ATTLIST x id ID #IMPLIED n NMTOKENS #IMPLIED xmlns CDATA #FIXED "urn:d" p:e CDATA #IMPLIED>
<!ATTLIST p:y k (a|b) "a" xml:lang CDATA "en">]>"""
MESSAGES = [
    "<r><x id=' a '><p:y/><y/></x>t</r>", "<r xmlns:p='urn:other' d='own'><p:y k=' b '>1</p:y><x xmlns='urn:d' xmlns:q='urn:q'/></r>",
    "<r><x n=' a   b ' p:e='&quot;'>&#9;<p:y><x/></p:y></x><z e='1'/></r>",
]


def published(text: str, xml: str, limits: xpubsub.Limits | None = None) -> xpubsub.Result:
    with xpubsub.connect(":memory:", limits=limits or xpubsub.Limits()) as broker:
        broker.subscribe("t", text)
        return broker.publish([("m", xml)])


@pytest.mark.parametrize("text", [
    "for $r in /r return $r", "for $x in /r/* return <o>{ $x }</o>", "for $x in /r/* return <o xmlns='urn:o'>{ $x }</o>",
    "for $x in //*:y return $x", "for $x in //*:x return <o>{ $x/@n, $x//*:x }</o>",
])
@pytest.mark.parametrize("message", MESSAGES)
def test_copies_have_the_attributes_and_namespaces_of_the_dtd(text: str, message: str) -> None:
    expected = Judge(text).evaluate(parsed({"m": DTD + message})["m"])
    outputs = published(text, DTD + message).notifications["output"].to_pylist()
    assert canonical("".join(outputs)) == expected


def test_what_a_dtd_adds_is_limited() -> None:
    xml = f'<!DOCTYPE r [<!ATTLIST x d CDATA "{"d" * 300}">]><r><x/><x/><x/><x/></r>'
    result = published("for $r in /r return $r", xml, xpubsub.Limits(max_copied=1000))
    assert result.rejected["code"].to_pylist() == ["limit-copied"]


def test_paths_do_not_see_what_a_dtd_adds() -> None:
    assert published("for $r in /r[@d] return $r", f"{DTD}<r/>").notifications.num_rows == 0
    assert published("for $r in /r return <o>{ $r/@* }</o>", f"{DTD}<r e='1'/>").notifications["output"].to_pylist() == ['<o e="1"/>']
