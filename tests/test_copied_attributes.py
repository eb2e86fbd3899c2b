"""Copied attributes in namespaces: they keep their prefix where it is free, and get another where it is not."""

from __future__ import annotations

from typing import Any

import pytest

import xpubsub
from tests.saxon import Judge, canonical, parsed

TWO = '<r xmlns:p="urn:4" xmlns:q="urn:64" p:k="1" q:l="2"/>'
REBOUND = '<r xmlns:p="urn:4" p:k="1"><s xmlns:p="urn:5" p:l="2"/></r>'
SPELT = "<r xml:lang='en' a = 'xmlns:a' xmlns:p='urn:4'\n p:k='1\"' >t</r>"
CASES = [
    ("for $r in /r return <o>{ $r/@* }</o>", TWO, '<o xmlns:p="urn:4" xmlns:q="urn:64" p:k="1" q:l="2"/>'),
    ('for $r in /r return <o xmlns:p="urn:4">{ $r/@*:k }</o>', TWO, '<o xmlns:p="urn:4" p:k="1"/>'),
    ('for $r in /r return <o xmlns:p="urn:5"><i>{ $r/@* }<p:m/></i></o>', TWO,
     '<o xmlns:p="urn:5"><i xmlns:p_1="urn:4" xmlns:q="urn:64" p_1:k="1" q:l="2"><p:m/></i></o>'),
    ('for $r in /r return <p:o xmlns:p="urn:5">{ for $s in $r return <i>{ $s/@*:k }</i> }</p:o>', TWO,
     '<p:o xmlns:p="urn:5"><i xmlns:p_1="urn:4" p_1:k="1"/></p:o>'),
    ('declare namespace p = "urn:5"; for $r in /r return <o>{ $r/@*:k }</o>', TWO, '<o xmlns:p="urn:4" p:k="1"/>'),
    ("for $r in /r return <o>{ $r/@*:k }{ for $s in $r/s return <i>{ $s/@*:l }</i> }</o>", REBOUND,
     '<o xmlns:p="urn:4" p:k="1"><i xmlns:p="urn:5" p:l="2"/></o>'),
    ("for $r in /r return <o>{ $r/@* }</o>", SPELT,
     '<o xmlns:p="urn:4" xml:lang="en" a="xmlns:a" p:k="1&quot;"/>'),
    ("for $k in //@*[. = 2] return <o>{ $k }</o>", REBOUND, '<o xmlns:p="urn:5" p:l="2"/>'),
]


def made(text: str, xml: str) -> str:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("t", text)
        [output] = broker.publish([("m", xml)]).notifications["output"].to_pylist()
    return str(output)


@pytest.mark.parametrize(("text", "xml", "expected"), CASES)
def test_copied_attributes_keep_their_prefix_as_in_saxon(text: str, xml: str, expected: str) -> None:
    assert made(text, xml) == expected
    prolog, _, body = text.rpartition("; ")
    judge = Judge(body, prolog=prolog + ";" * bool(prolog))
    assert canonical(expected) == judge.evaluate(parsed({"m": xml})["m"])


def test_two_copied_attributes_of_one_prefix() -> None:
    text = 'declare namespace a = "urn:4"; declare namespace b = "urn:5"; ' \
           "for $r in /r, $s in $r/s return <o>{ $r/@a:k, $s/@b:l }</o>"
    assert made(text, REBOUND) == '<o xmlns:p="urn:4" xmlns:p_1="urn:5" p:k="1" p_1:l="2"/>'


def test_a_new_prefix_is_not_one_that_the_element_uses() -> None:
    """Saxon takes p_1, and so moves the element into another namespace."""
    text = 'for $r in /r return <p_1:o xmlns:p="urn:9" xmlns:p_1="urn:8">{ $r/@*:k }</p_1:o>'
    assert made(text, TWO) == '<p_1:o xmlns:p="urn:9" xmlns:p_1="urn:8" xmlns:p_2="urn:4" p_2:k="1"/>'


def test_the_prefix_stands_for_the_same_in_every_encoding() -> None:
    xml: Any = '<?xml version="1.0" encoding="utf-16"?><r xmlns:é="urn:é" é:k="ü"/>'.encode("utf-16")
    assert made("for $r in /r return <o>{ $r/@* }</o>", xml) == '<o xmlns:é="urn:é" é:k="ü"/>'
