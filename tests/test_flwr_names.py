"""Names in transformations are any XML names, those of keywords too: FpML has elements called `return`."""

from __future__ import annotations

import pytest

import xpubsub
from tests.saxon import Judge, canonical, parsed

XML = ("<return k='1'><for><where>1</where><in>2</in><let/></for><where><where>3</where><return>4</return><for>5</for></where>"
       "<order><by>6</by></order><and><or>7</or><div>8</div><mod>9</mod></and><if>10</if><element>11</element><text>12</text>"
       "<some>13</some><doc>14</doc><not>15</not><as/><at/><stable/><eq>16</eq><union>17</union><declare/><empty/></return>")
TEXTS = (
    "for $a in //return/for return $a/where",
    "for $a in return/for return ($a/in, return/order)",
    "for $a in //where where $a/where return $a/return",
    "for $a in //where where $a/return = 4 return <where>{ $a/where, $a/for, $a/return }</where>",
    "for $return in //return return <return>{ $return/@k, $return/for }</return>",
    "for $for in //for, $in in $for/in return <for>{ $in, for $let in //let return <let>{ $let }</let>, $for/where }</for>",
    "for $a in /return return (for $return in $a/where/return return $return, $a/for, $a/where/return)",
    "for $a in //and where $a/or and $a/div or $a/mod return ($a/or, $a/div, $a/mod)",
    "for $a in //order where $a/by return $a/by",
    "for $a in /return where $a/eq = 16 and $a/union and not($a/as = '3') return ($a/eq, $a/union, $a/order, $a/stable)",
    "for $a in return return return",
    "for $a in return return (return/if, for, return/element, return/text, return/some, return/doc, return/not)",
    "for $a in return return <if>{ if, return/if }</if>",
    "for $a in return let $let := $a/for/let return <let let='for'>{ $let }</let>",
    "let $in := return/for for $a in $in return $a/in",
    "for $a in return for $b in $a/for where $b/where return $b/in",
    "for $a in return[where]/where[return and for] return $a/return[. = 4]",
    "for $a in return/text return ($a, $a/text())",
    "for $as in //as, $at in //at, $div in //div, $empty in //empty return <x>{ $as, $at, $div, $empty }</x>",
    "for $a in //for where where or return/where return return/order",
    "for $a in //for where return return return/declare",
)


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many((text, text) for text in TEXTS)
        return {row["subscription_id"]: row["output"] for row in broker.publish([("m", XML)]).notifications.to_pylist()}


@pytest.mark.parametrize("text", TEXTS)
def test_keywords_are_names_as_in_saxon(text: str, made: dict[str, str]) -> None:
    assert canonical(made[text]) == Judge(text).evaluate(parsed({"m": XML})["m"])
