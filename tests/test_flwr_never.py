"""What can never hold in a transformation: it is accepted, and makes what Saxon makes."""

from __future__ import annotations

import pytest

import xpubsub
from tests.saxon import Judge, canonical, parsed

XML = "<b k='1'><c>1</c><e>2</e><c><e>3</e></c></b>"
NEVER = '[not(starts-with(., ""))]'
PLANS = ("auto", "f", "fw")
FORMS = {
    "a first binding": "for $a in /b[NEVER]/c, $d in /b/e return ($d, $d)",
    "a second binding": "for $a in /b/c, $d in /b[NEVER]/e return ($d, $a)",
    "a second binding that depends": "for $a in /b/c, $d in $a/e[NEVER] return <x>{ $d/@k, $a, $d }</x>",
    "all bindings": "for $a in /b[NEVER], $d in $a/c[NEVER] return <x>{ $a/@k, for $e in $d/e return <y>{ $e/@k }</y> }</x>",
    "a nested binding": "for $a in /b return <x>{ for $c in $a/c[NEVER] return <y>{ $c, for $e in $c/e return $e }</y>, $a/e }</x>",
    "a nested second binding": "for $a in /b return (for $c in $a/c, $d in $c/e[NEVER] where $c return ($c, for $e in $d/e return $e), $a/e)",
    "the first of two outermost": "for $a in /b[NEVER] return ($a, $a/c), for $c in /b/c return $c",
    "the last of two outermost": "for $c in /b/c return $c, for $a in /b[NEVER] return ($a, for $d in $a/c return $d)",
    "a where": "for $a in /b, $d in /b/e where 1 = 2 return ($d, for $c in $a/c return $c), for $c in /b/c return $c",
    "a nested where": "for $a in /b return (for $c in $a/c, $d in /b/e where 1 = 2 return ($d, $c), $a/e)",
    "a where and a binding": "for $a in /b[NEVER], $d in /b/e where 1 = 2 return ($a, $d)",
    "a where of a path": "for $a in /b, $d in /b/e where $a/c[NEVER] and $d return ($a, $d)",
    "one side of an or": "for $a in /b, $d in $a/c[e[NEVER] or e] where $d/e[NEVER] or $a/e return ($a/e, $d)",
    "a copied path": "for $a in /b return $a/c[NEVER]/e",
    "a copied path in an element": "for $a in /b return <x>{ $a/@k[NEVER], $a/c[NEVER], $a/e }</x>",
    "a copied path beside the for": "<o>{ //c[NEVER] }{ for $a in /b return $a/e }</o>",
    "a let": "let $z := /b/c[NEVER] for $a in /b where not($z) return <x>{ $z, $a/e }</x>",
    "a let that is bound": "let $z := /b/c[NEVER] for $a in $z, $d in /b/e return ($z, $a, $d)",
    "an absolute path in a predicate": "for $a in /b[/b[NEVER]]/c, $d in /b/e return ($d, $a)",
}


@pytest.fixture(scope="module")
def made() -> dict[str, dict[str, str]]:
    """The outputs of all forms, of one store, by plan; what has none is missing."""
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many((name, text.replace("[NEVER]", NEVER)) for name, text in FORMS.items())
        found = {plan: broker.publish([("m", XML)], plan=plan).notifications.to_pylist() for plan in PLANS}
    return {plan: {row["subscription_id"]: row["output"] for row in rows} for plan, rows in found.items()}


@pytest.mark.parametrize("name", FORMS)
def test_what_can_never_hold(name: str, made: dict[str, dict[str, str]]) -> None:
    expected = Judge(FORMS[name].replace("[NEVER]", NEVER)).evaluate(parsed({"m": XML})["m"])
    for plan in PLANS:
        assert canonical(made[plan].get(name, "")) == expected, plan


@pytest.mark.parametrize("name", ["a first binding", "a second binding", "all bindings", "a where and a binding"])
def test_no_notification_if_an_outermost_for_can_never_bind(name: str, made: dict[str, dict[str, str]]) -> None:
    assert all(name not in found for found in made.values())


def test_a_for_that_can_never_bind_alone_in_its_store() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("t", FORMS["a first binding"].replace("[NEVER]", NEVER))
        assert broker.publish([("m", XML)]).notifications.num_rows == 0
        assert not broker.explain("t", XML).matches
