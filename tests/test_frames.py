"""Frames on Spark: lazy, distributed, and the batch job on top of them."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest

import xpubsub
from tests.generate import NAMESPACES, Messages
from tests.judge import pairs, verdicts
from xpubsub.jobs import batch

SUBSCRIPTIONS = {"s1": "//a[b]/c", "s2": "//b = 1", "s3": "contains(//c, '1')", "s4": "not(//p:a)"}


@pytest.fixture(scope="module")
def broker(spark_session: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    with xpubsub.connect(tmp_path_factory.mktemp("frames") / "store", spark=spark_session) as opened:
        opened.subscribe_many(SUBSCRIPTIONS.items(), namespaces=NAMESPACES)
        yield opened


def messages() -> dict[str, str]:
    source = Messages(Random(11))
    return {f"m{n}": source.message() for n in range(40)}


def test_a_frame_is_lazy_and_gives_what_a_batch_gives(broker: Any, spark_session: Any) -> None:
    given = [*messages().items(), ("bad", "<a>"), ("m0", "<late/>")]
    frame = spark_session.createDataFrame(given, "id string, xml string").repartition(3)
    reads = spark_session.sparkContext.accumulator(0)

    def counted(batches: Any) -> Any:
        for rows in batches:
            reads.add(rows.num_rows)
            yield rows

    watched = frame.coalesce(1).mapInArrow(counted, frame.schema)
    notifications, rejected = broker.publish_frames(watched)
    assert reads.value == 0, "nothing is read before it is asked for"
    assert notifications.columns == ["message_id", "subscription_id", "output"]
    found = pairs(row.asDict() for row in notifications.collect())
    aside = {(row.message_id, row.code) for row in rejected.collect()}
    assert ("bad", "not-well-formed") in aside and ("m0", "duplicate-id") in aside and len(aside) == 2
    sure = {pair for pair in verdicts(messages(), SUBSCRIPTIONS, NAMESPACES) if pair[0] != "m0"}
    assert {pair for pair in found if pair[0] != "m0"} == sure
    assert broker.stats()["tag paths"] == 0, "a frame leaves the store as it is"


def test_a_frame_needs_an_id_and_xml(broker: Any, spark_session: Any) -> None:
    with pytest.raises(xpubsub.Error, match="columns id and xml"):
        broker.publish_frame(spark_session.createDataFrame([("m", "<a/>")], "name string, text string"))


def arguments(path: Path, **given: Any) -> Namespace:
    needed = batch.parser().parse_args(["--store", "", "--input", "", "--output", str(path)])
    return Namespace(**{**vars(needed), **given})


def test_the_batch_job_from_xml_files_to_parquet(broker: Any, spark_session: Any, tmp_path: Path) -> None:
    source = tmp_path / "in" / "deep"
    source.mkdir(parents=True)
    (source / "one.xml").write_text("<a><b>1</b><c/></a>")
    (source / "bad.xml").write_bytes(b"<a>")
    output, rejects = tmp_path / "out.parquet", tmp_path / "rejects.parquet"
    given = arguments(output, input=str(tmp_path / "in"), rejects=str(rejects))
    assert batch.run(broker._publisher, spark_session, given) == 1
    found = {(row["message_id"].rsplit("/", 1)[-1], row["subscription_id"]) for row in pq.read_table(output).to_pylist()}
    assert found == {("one.xml", "s1"), ("one.xml", "s2"), ("one.xml", "s4")}
    [aside] = pq.read_table(rejects).to_pylist()
    assert aside["message_id"].endswith("bad.xml") and aside["code"] == "not-well-formed"


def test_the_batch_job_does_not_overwrite(broker: Any, spark_session: Any, tmp_path: Path) -> None:
    lines = tmp_path / "in.jsonl"
    lines.write_text('{"id": "m", "xml": "<b>1</b>"}\n')
    given = arguments(tmp_path / "out.csv", input=str(lines))
    assert batch.run(broker._publisher, spark_session, given) == 0
    with pytest.raises(xpubsub.Error, match="already exists"):
        batch.run(broker._publisher, spark_session, given)


def test_the_batch_job_refuses_a_store_that_is_not_there(
    spark_session: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = batch.main(["--store", str(tmp_path / "none"), "--input", "x", "--output", "y"])
    assert status == 2 and "there is no store" in capsys.readouterr().err


def test_a_session_alone_has_a_store_in_its_warehouse(spark_session: Any) -> None:
    with xpubsub.connect(spark=spark_session) as broker:
        location = spark_session.conf.get("spark.sql.warehouse.dir").removeprefix("file:")
        assert broker.list().num_rows == 0
    assert (Path(location) / "xpubsub" / "v1" / "_COMPLETE").exists()


KEYED = {"e": "/q/s = 'A'", "r": "//v > 3 and //w <= 2", "x": "/q[y]", "s": "//s = 'B' and //v < 9", "any": "//*/@k = 1"}


def quotes() -> dict[str, str]:
    random = Random(4)
    return {
        f"q{n}": f"<q><s>{random.choice('ABC')}</s><v>{random.randrange(9)}</v>"
                 f"<z{n % 7} k='{random.randrange(3)}'><w>{random.randrange(5)}</w><v>{n % 5}</v></z{n % 7}></q>"
        for n in range(30)
    }


def test_keys_of_new_tag_paths_are_looked_up_where_the_messages_are(spark_session: Any, tmp_path: Path) -> None:
    sure = verdicts(quotes(), KEYED, {})
    with xpubsub.connect(tmp_path / "keyed", spark=spark_session) as opened:
        opened.subscribe_many(KEYED.items())
        frame = spark_session.createDataFrame(list(quotes().items()), "id string, xml string").repartition(3)
        assert pairs(row.asDict() for row in opened.publish_frame(frame).collect()) == sure
        assert pairs(opened.publish(quotes().items()).notifications.to_pylist()) == sure


def test_the_batch_job_makes_the_outputs_of_transformations(spark_session: Any, tmp_path: Path) -> None:
    lines, output = tmp_path / "in.jsonl", tmp_path / "out.parquet"
    lines.write_text('{"id": "m1", "xml": "<a><b>1</b></a>"}\n{"id": "m2", "xml": "<a><c/></a>"}\n')
    with xpubsub.connect(tmp_path / "store", spark=spark_session) as broker:
        broker.subscribe("t", "<o>{ for $a in //a where $a/b = 1 return <made>{ $a/b }</made> }</o>")
        schema = broker.schema("<!DOCTYPE a [<!ELEMENT a (b | c)*><!ELEMENT b (#PCDATA)><!ELEMENT c EMPTY>]>")
        assert broker.schemas() == {"": schema}
        given = arguments(output, input=str(lines))
        assert batch.run(broker._publisher, spark_session, given) == 0
    expected = {"message_id": "m1", "subscription_id": "t", "output": "<o><made><b>1</b></made></o>"}
    assert pq.read_table(output).to_pylist() == [expected]


def test_correlations_are_carried_out_on_frames_too(connect: Any, spark_session: Any, tmp_path: Path) -> None:
    broker = connect("spark")
    broker.subscribe("q", "SELECT <pair>{ $x, $y }</pair> FROM S/a AS $x FOLLOWED BY { $x = $y, 5s } S/b AS $y PUBLISH pairs")
    broker.subscribe("f", "/pair/a", stream="pairs")
    broker.publish([("a", "<a>1</a>", 10.0)])
    form = "id string, xml string, timestamp double"
    with pytest.raises(xpubsub.Error, match="a message's time"):
        broker.publish_frame(spark_session.createDataFrame([("x", "<b>1</b>", float("nan"))], form))
    frame = spark_session.createDataFrame([("b", "<b>1</b>", 15.0), ("c", "<b>1</b>", 16.0), ("bad", "<b>", 1.0)], form)
    notifications, rejected = broker.publish_frames(frame)
    found = sorted((row.subscription_id, row.message_id, row.output) for row in notifications.collect())
    assert [row[0] for row in found] == ["f", "q"] and found[0][1].startswith("pairs-")
    assert found[1] == ("q", "b", "<pair><a>1</a><b>1</b></pair>")
    assert [row.message_id for row in rejected.collect()] == ["bad"]
    assert broker.publish([("a2", "<a>1</a>", 14.0)]).notifications.num_rows == 4, "the frame's messages are kept"
