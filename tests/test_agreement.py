"""Random messages × random expressions agree with lxml: every engine, every plan, both checks of branches.

One draw of more than 100,000 pairs is judged once; each engine has to give the same pairs by each plan. A test counts
that every feature of the language took part. Smaller draws by hypothesis look for minimal disagreements.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import xpubsub
from tests import inside
from tests.conftest import ENGINES, PLANS
from tests.generate import NAMESPACES, Expressions, Messages
from tests.judge import pairs, verdicts
from xpubsub.compile.subscriptions import Compiler

MESSAGES, EXPRESSIONS = 110, 1000
IN_SPARK_SQL = 40
"""How many of the messages Spark SQL matches; its workers match all of them."""
FEATURES = {
    "absolute path", "relative path at the top", "relative path", "absolute in a predicate", "child", "descendant",
    "self (.)", "self step", "step name", "step *", "step p:name", "step p:*", "step *:name", "step child::",
    "step text()", "step @x", "step @y", "step @*", "step @p:x", "step @p:*", "step @*:x", "and", "or", "not()",
    "not() in a predicate", "existence", "contains()", "starts-with()", "constant", "constant on the left",
    "predicate on an element", "predicate on text()", "predicate on an attribute", "predicates nested 1 deep",
    "predicates nested 2 deep", "predicates nested 3 deep",
    *(f"{op} {kind}" for op in ("=", "!=", "<", "<=", ">", ">=") for kind in ("string", "number")),
}


def draw(seed: int, messages: int, expressions: int, **options: Any) -> tuple[Any, ...]:
    """Messages, expressions as (ours, lxml's), and the features used; what is refused is left out."""
    random = Random(seed)
    source, make = Expressions(random, **options), Messages(random)
    namespaces = dict(NAMESPACES) | ({"": NAMESPACES[options["default"]]} if options.get("default") else {})
    dialect = "branching" if options.get("branching") else "xpath"
    found: dict[str, tuple[str, str]] = {}
    while len(found) < expressions:
        ours, theirs = source.expression()
        if accepted(ours, namespaces, dialect):
            found[f"s{len(found)}"] = ours, theirs
    return {f"m{n}": make.message() for n in range(messages)}, found, source.features, namespaces, dialect


def accepted(expression: str, namespaces: dict[str, str], dialect: str) -> bool:
    """Whether an expression is within the limits; the generator makes nothing else that is refused."""
    try:
        Compiler(namespaces, dialect).queries(expression)
    except xpubsub.LimitError:
        return False
    except xpubsub.UnsupportedError as error:
        assert "an absolute path beside `or` inside" in str(error), error
        return False
    return True


@pytest.fixture(scope="module")
def drawn() -> tuple[Any, ...]:
    """The one draw that all engines and plans are held against, with the judge's verdicts."""
    messages, expressions, features, namespaces, _ = draw(20_040_613, MESSAGES, EXPRESSIONS)
    theirs = {key: pair[1] for key, pair in expressions.items()}
    return messages, expressions, features, verdicts(messages, theirs, namespaces)


@pytest.fixture(scope="module", params=ENGINES)
def subscribed(request: pytest.FixtureRequest, drawn: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A store of each engine with all expressions subscribed; few slots, so that chains take part as well."""
    options = {}
    if request.param == "spark":
        options = {"spark": request.getfixturevalue("spark_session"), "limits": inside.TABLES_IN_SPARK_SQL}
    path = tmp_path_factory.mktemp("agreement") / "store"
    with xpubsub.connect(path, engine=request.param, slots=2, **options) as broker:
        rows = [(key, ours) for key, (ours, _) in drawn[1].items()]
        broker.subscribe_many(rows, namespaces=NAMESPACES)
        yield broker


def test_every_feature_takes_part(drawn: Any) -> None:
    messages, expressions, features, matches = drawn
    assert len(messages) * len(expressions) >= 100_000
    assert {name for name in features if features[name] >= 5} >= FEATURES
    assert 0.02 < len(matches) / (len(messages) * len(expressions)) < 0.5
    everything = "".join(messages.values())
    assert all(piece in everything for piece in ("<!--", "<![CDATA[", "<![CDATA[]]>", "<?i", "NaN", 'xmlns="urn:x"'))


@pytest.mark.parametrize("branches_in_sql", [True, False], ids=["brpred-sql", "brpred-function"])
@pytest.mark.parametrize("plan", PLANS)
def test_agrees_with_lxml(subscribed: Any, drawn: Any, plan: str, branches_in_sql: bool) -> None:
    if inside.on_spark(subscribed) and plan != PLANS[0]:
        pytest.skip("on Spark with one plan only: test_steps holds the steps of the others to those of DuckDB")
    messages, expressions, _, wanted = drawn
    if inside.on_spark(subscribed):
        messages = dict(list(messages.items())[:IN_SPARK_SQL])
        wanted = {pair for pair in wanted if pair[0] in messages}
    result = inside.publish(subscribed, messages.items(), plan, branches_in_sql=branches_in_sql)
    assert result.rejected.num_rows == 0
    wrong = pairs(result.notifications.to_pylist()) ^ wanted
    assert not wrong, [(expressions[s][0], messages[m], (m, s) in wanted) for m, s in sorted(wrong)[:5]]


@pytest.mark.parametrize("plan", PLANS)
def test_partitions_agree_with_lxml(subscribed: Any, drawn: Any, plan: str) -> None:
    if not inside.on_spark(subscribed):
        pytest.skip("only Spark has partitions")
    messages, _, _, wanted = drawn
    assert pairs(subscribed.publish(messages.items(), plan=f"partition,{plan}").notifications.to_pylist()) == wanted


@pytest.mark.parametrize("options", [{"default": "p"}, {"branching": True}], ids=["default-namespace", "branching"])
def test_dialects_agree_with_lxml(connect: Callable[..., xpubsub.Broker], options: dict[str, Any]) -> None:
    messages, expressions, _, namespaces, dialect = draw(7, 60, 400, **options)
    wanted = verdicts(messages, {key: pair[1] for key, pair in expressions.items()}, NAMESPACES)
    broker = connect("duckdb")
    rows = [(key, ours) for key, (ours, _) in expressions.items()]
    broker.subscribe_many(rows, namespaces=namespaces, dialect=dialect)
    assert pairs(broker.publish(messages.items()).notifications.to_pylist()) == wanted


def test_message_by_message_as_in_one_batch(connect: Callable[..., xpubsub.Broker], drawn: Any) -> None:
    messages, expressions, _, wanted = drawn
    broker = connect("duckdb")
    broker.subscribe_many([(key, ours) for key, (ours, _) in expressions.items()], namespaces=NAMESPACES)
    found: set[tuple[str, str]] = set()
    for message in messages.items():
        found |= pairs(broker.publish([message]).notifications.to_pylist())
    assert found == wanted


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**9), st.sampled_from(PLANS), st.booleans(), st.integers(1, 8))
def test_small_draws_agree_with_lxml(seed: int, plan: str, branches_in_sql: bool, slots: int) -> None:
    messages, expressions, _, namespaces, _ = draw(seed, 8, 12)
    wanted = verdicts(messages, {key: pair[1] for key, pair in expressions.items()}, namespaces)
    with xpubsub.connect(":memory:", slots=slots) as broker:
        half = list(messages.items())[:4]
        rows = [(key, ours) for key, (ours, _) in expressions.items()]
        broker.subscribe_many(rows[:6], namespaces=namespaces)
        broker.publish(half, plan=plan)
        broker.subscribe_many(rows[6:], namespaces=namespaces)
        result = inside.publish(broker, messages.items(), plan, branches_in_sql=branches_in_sql)
    wrong = pairs(result.notifications.to_pylist()) ^ wanted
    assert not wrong, [(expressions[s][0], messages[m], (m, s) in wanted) for m, s in sorted(wrong)[:3]]
