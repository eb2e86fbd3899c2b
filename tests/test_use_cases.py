"""The W3C's use cases and XMark: what is accepted agrees with Saxon, what is not is refused by name and place."""

from __future__ import annotations

import os
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import xpubsub
from tests.saxon import canonical, parsed
from tests.use_cases import FAILED, Case, cases, documents, judged
from tests.use_cases.table import refusals, table, ways
from xpubsub.errors import LocatedError

Outputs = dict[tuple[str, str], str]
_NAMED = re.compile(r'\bdoc\("[^"]*"\)')
PAGE = Path(__file__).parent.parent / "docs" / "use-cases.md"
DATA = os.environ.get("XPUBSUB_DATA", "")


def published(broker: xpubsub.Broker, messages: dict[str, str]) -> Outputs:
    """All accepted queries in one store, all messages in one call."""
    broker.subscribe_many((case.id, case.text) for case in cases("accepted"))
    result = broker.publish(messages.items())
    assert result.rejected.num_rows == 0
    rows, failed = result.notifications.to_pylist(), result.failed.to_pylist()
    found = {(row["message_id"], row["subscription_id"]): canonical(row["output"]) for row in rows}
    found |= {(row["message_id"], row["subscription_id"]): FAILED for row in failed}
    assert len(found) == len(rows) + len(failed), "one notification for each message and query"
    return found


def unprefixed(outputs: Outputs) -> dict[tuple[str, str], Any]:
    """The same with names expanded: whatever their prefixes, equal results are equal."""
    return {key: expanded(etree.fromstring(text)) for key, text in outputs.items() if text != FAILED}


def expanded(node: Any) -> Any:
    return node.tag, sorted(node.items()), node.text, node.tail, [expanded(child) for child in node]


@pytest.fixture(scope="module")
def expected() -> Outputs:
    return judged(parsed(documents()))


@pytest.fixture(scope="module")
def found() -> Outputs:
    with xpubsub.connect(":memory:") as broker:
        return published(broker, documents())


@pytest.fixture(scope="module")
def errors() -> dict[str, LocatedError]:
    return refusals()


@pytest.mark.parametrize("case", cases("accepted"), ids=lambda case: case.id)
def test_accepted_queries_agree_with_saxon(case: Case, expected: Outputs, found: Outputs) -> None:
    ours, theirs = ({name: text for (name, query), text in each.items() if query == case.id} for each in (found, expected))
    assert ours == theirs != {}


@pytest.mark.parametrize("case", cases("refused"), ids=lambda case: case.id)
def test_refused_by_name_and_place(case: Case, errors: dict[str, LocatedError]) -> None:
    error = errors[case.id]
    assert isinstance(error, xpubsub.UnsupportedError)
    assert error.reason.partition(" is not supported")[0] == case.expected
    assert error.offset == case.text.index(case.at)


def test_accepted_as_said(errors: dict[str, LocatedError]) -> None:
    assert {case.id for case in cases()} - set(errors) == {case.id for case in cases("accepted")}


def test_saxon_answers_the_others_unless_they_read_several_documents() -> None:
    refused = {name: way for name, way in ways().items() if isinstance(way, LocatedError)}
    assert all(error.reason.startswith("a query of several documents") for error in refused.values())
    assert {case.id for case in cases() if case.id in refused} == {case.id for case in cases() if len(set(_NAMED.findall(case.text))) > 1}


def test_queries_of_several_documents_can_be_asked_of_one_message() -> None:
    """Without the names of the documents, what they join is in the one message."""
    several = [case for case in cases() if len(set(_NAMED.findall(case.text))) > 1 and case.id != "r-Q12"]
    trees = parsed(documents())
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([(case.id, _NAMED.sub("", case.text)) for case in several], strict=True)
        rows = broker.publish(documents().items()).notifications.to_pylist()
    assert {row["subscription_id"] for row in rows} == {case.id for case in several}
    by_id = {case.id: case.judge("true()") for case in several}
    for row in rows:
        assert canonical(row["output"]) == by_id[row["subscription_id"]].evaluate(trees[row["message_id"]])


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_queries_are_xquery(case: Case) -> None:
    """Saxon reads each of them, so that none is refused for a slip of the pen."""
    assert case.judge("false()").evaluate(parsed({"m": "<m/>"})["m"]) is None


def test_the_table_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == table() + "\n", "python -m tests.use_cases.table > docs/use-cases.md"


@pytest.mark.skipif(not DATA, reason="XPUBSUB_DATA does not name a folder with the documents")
@pytest.mark.parametrize("archive", ["xquery-usecases", "papers-xmark-1mb"])
def test_accepted_queries_agree_with_saxon_in_the_original_documents(archive: str) -> None:
    messages = unpacked(archive)
    theirs = unprefixed(judged(parsed(messages)))
    with xpubsub.connect(":memory:") as broker:
        assert unprefixed(published(broker, messages)) == theirs != {}


@pytest.mark.skipif(not DATA, reason="XPUBSUB_DATA does not name a folder with the documents")
def test_accepted_queries_give_the_results_that_the_w3c_expects() -> None:
    with xpubsub.connect(":memory:") as broker:
        outputs = published(broker, unpacked("xquery-usecases"))
    for case in cases("accepted"):
        key = f"xquery-usecases/docs/{case.documents}", case.id
        if case.group != "xmark" and " " not in case.documents:
            assert unprefixed({key: outputs[key]}) == unprefixed({key: canonical(w3c_result(case))})


def unpacked(archive: str) -> dict[str, str]:
    """The documents of an archive: those that lie in a folder `docs` or `xml`."""
    with tarfile.open(Path(DATA) / f"{archive}.tar.gz") as tar:
        names = [name for name in tar.getnames() if Path(name).match("docs/*.xml") or Path(name).match("xml/*.xml")]
        return {name: etree.tostring(etree.parse(tar.extractfile(name)), encoding="unicode") for name in names}


def w3c_result(case: Case) -> str:
    with tarfile.open(Path(DATA) / "xquery-usecases.tar.gz") as tar:
        suite = etree.parse(tar.extractfile(f"xquery-usecases/app/UseCase{case.group.upper()}.xml"))
    name = f"{case.group}-queries-results-{case.name.lower()}"
    return str(suite.xpath(f"string(//*[@name='{name}']//*[local-name()='assert-xml'])"))
