"""What belongs to a `return`: XQuery's grammar decides; the papers' `return $a, $a/name` is read where XQuery has no reading."""

from __future__ import annotations

import pytest

import xpubsub
from tests.saxon import Judge, canonical, parsed
from xpubsub.language.flwr.parser import parse_flwr
from xpubsub.language.flwr.syntax import dump_content

XML = "<r><p k='0'><n>1</n><c><p><n>2</n></p><d><n>3</n></d></c><c><d/></c></p><q><n>4</n></q></r>"
FOR_B = "for $b in $a/c return $b/p/n"
XQUERY = {
    "in parentheses": f"for $a in //p return ({FOR_B}, $a/n)",
    "in braces": f"for $a in //p return <x>{{ {FOR_B}, $a/n }}</x>",
    "in the braces of the papers": f"for $a in //p return {{ {FOR_B}, $a/n }}",
    "with items before": f"for $a in //p return ($a/n, {FOR_B}, $a/c/d, {FOR_B})",
    "with the variables of both in one": "for $a in //p return (for $b in $a/c return ($b/p/n, $a/n), $a/c/d)",
    "three deep": "for $a in //p return (for $b in $a/c return (for $d in $b/d return $d/n, $b/p, $a/n), $a/n)",
    "three deep in elements": "for $a in //p return <x>{ for $b in $a/c return <y>{ for $d in $b/d return $d/n, $b/p }</y>, $a/n }</x>",
    "of a chain": "for $a in //p return (for $b in $a/c return for $d in $b/d return $d/n, $a/n)",
    "beside a let": "for $a in //p return (let $c := $a/c for $b in $c/d return $b/n, $a/n)",
    "beside a let alone": "for $a in //p return (let $c := $a/c return $c/d, $a/n)",
    "of outermost ones in parentheses": "(for $a in //p return $a/n, //q/n)",
    "of outermost ones in braces": "<x>{ for $a in //p return $a/n, //q/n }</x>",
    "of outermost ones": "//q, for $a in //p return $a/n, //q/n",
    "of two outermost ones": "for $a in //p return $a/n, for $a in //q return $a/n",
    "of a variable hidden": "for $a in //p return (for $a in $a/c return $a/d, $a/n)",
    "with attributes before": "for $a in //p return <x>{ $a/@k, for $b in $a/c return <y>{ $b/d }</y>, $a/n }</x>",
}
PAPERS = {
    "for $a in //p return $a, $a/n": "for $a in //p return ($a, $a/n)",
    "for $a in //p return $a/n, //q, $a/c, //q": "for $a in //p return ($a/n, //q, $a/c, //q)",
    "//q, for $a in //p return $a/n, $a/c": "//q, for $a in //p return ($a/n, $a/c)",
    "<x>{ for $a in //p return $a/n, $a/c }</x>": "<x>{ for $a in //p return ($a/n, $a/c) }</x>",
    "for $a in //p return $a/n, (//q, <x>{ $a/c }</x>)": "for $a in //p return ($a/n, (//q, <x>{ $a/c }</x>))",
    "for $a in //p return for $b in $a/c return $b, $a/n": "for $a in //p return ((for $b in $a/c return $b), $a/n)",
    "for $a in //p return $a/n, for $b in $a/c return $b, $a/n": "for $a in //p return ($a/n, (for $b in $a/c return $b), $a/n)",
    "for $a in //p return $a/n, for $a in //q return $a, $a/n": "(for $a in //p return $a/n), for $a in //q return ($a, $a/n)",
    "for $a in //p return $a/n, <x>{ for $b in //q return $b, $a/n }</x>":
        "for $a in //p return ($a/n, <x>{ (for $b in //q return $b), $a/n }</x>)",
    "for $a in //p let $n := $a/n return $a/c, $n": "for $a in //p return ($a/c, $a/n)",
    "let $r := /r return for $x in $r/p return $x/n, $r/q": "(for $x in /r/p return $x/n), /r/q",
}
UNBOUND = {
    "for $a in //p return (for $b in $a/c return $b, $b/d)": "$b/d", "for $a in //p return <x>{ for $b in $a/c return $b, $b/d }</x>": "$b/d",
    "for $a in //p return for $b in $a/c return $b, $b/d": "$b/d", "(for $a in //p return $a, $a/n)": "$a/n",
    "for $a in //p return { $a, $a/n }, $a/c": "$a/c", "<x>{ for $a in //p return $a }</x>, $a/n": "$a/n",
    "<x>{ for $a in //p return $a }{ $a/n }</x>": "$a/n", "for $a in //p return $a, for $b in //q return $b, $a/n, $b/n": "$b/n",
    "for $a in //p return $a, $a/n, (for $b in $a/c return $b, $b/d)": "$b/d",
}


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The outputs of all texts, of one store."""
    texts = [*XQUERY.values(), *PAPERS]
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many((text, text) for text in texts)
        found = broker.publish([("m", XML)]).notifications.to_pylist()
    return {row["subscription_id"]: row["output"] for row in found}


def judged(text: str) -> str | None:
    return Judge(text).evaluate(parsed({"m": XML})["m"])


@pytest.mark.parametrize("name", XQUERY)
def test_a_comma_ends_the_return(name: str, made: dict[str, str]) -> None:
    theirs = XQUERY[name].replace("return { ", "return ( ")
    theirs = theirs[:-1] + ")" if theirs != XQUERY[name] else theirs
    assert canonical(made[XQUERY[name]]) == judged(theirs)


@pytest.mark.parametrize("text", PAPERS)
def test_the_papers_leave_out_the_parentheses_of_an_outermost_return(text: str, made: dict[str, str]) -> None:
    with pytest.raises(Exception, match="XPST0008"):
        judged(text)
    assert dump_content(parse_flwr(text).result).replace("#2", "") == dump_content(parse_flwr(PAPERS[text]).result).replace("#2", "")
    assert canonical(made[text]) == judged(PAPERS[text])


@pytest.mark.parametrize("text", UNBOUND)
def test_a_variable_behind_its_flwr_is_refused(text: str) -> None:
    with pytest.raises(xpubsub.QuerySyntaxError, match="its FLWR has ended") as error:
        parse_flwr(text)
    assert type(error.value) is xpubsub.QuerySyntaxError and error.value.code == "XPST0008"
    assert error.value.offset == text.rindex(UNBOUND[text])


@pytest.mark.parametrize("text", [
    "for $a in //p return <x>{ for $b in $a/c return $b, $a/@k }</x>",
    "for $a in //p return <x>{ for $b in $a/c return <y/>, for $b in $a/d return $b, $a/@k }</x>",
    "for $a in //p return <x>{ (for $b in $a/c return $b), ($a/@k) }</x>",
])
def test_an_attribute_beside_a_flwr_comes_after_content(text: str) -> None:
    with pytest.raises(xpubsub.UnsupportedError, match="an attribute after content") as error:
        parse_flwr(text)
    assert error.value.offset == text.index("$a/@k")


def test_reading_again_takes_no_longer_with_depth() -> None:
    inside = "//z"
    for name in "abcdefghijklmnopqrst":
        inside = f"<x>{{ for ${name} in //{name} return ${name}, {inside}, ${name}/n }}</x>"
    with pytest.raises(xpubsub.QuerySyntaxError, match="its FLWR has ended"):
        parse_flwr(inside)


@pytest.mark.parametrize("empty", ["<![CDATA[]]>", "<![CDATA[]]>{ () }<![CDATA[]]>"])
def test_an_attribute_behind_an_empty_cdata_section(empty: str) -> None:
    text = f"for $a in //p[@k] return <x>{empty}{{ $a/@k, $a/n }}</x>"
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("t", text)
        found = broker.publish([("m", XML)]).notifications["output"].to_pylist()
    assert canonical(found[0]) == judged(text)
