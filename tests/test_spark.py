"""Spark as its users know it: few jobs, streaming frames, kept columns, tables in the catalog, lost files."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import xpubsub
from tests import inside
from xpubsub.arrow import arrow_batches
from xpubsub.engines.spark_tables import SparkTables
from xpubsub.jobs.publish.frame_columns import FrameColumns
from xpubsub.jobs.publish.messages import Batch
from xpubsub.plan import summary
from xpubsub.plan.request import PlanRequest

SUBSCRIPTIONS = [(f"s{n}", f"//a[b = {n}]/c") for n in range(10)]
MESSAGES = [(f"m{n}", f"<a><b>{n % 12}</b><c/></a>") for n in range(60)]
FOUND = Counter((f"m{n}", f"s{n % 12}") for n in range(60) if n % 12 < 10)
TRANSFORMATION = "for $a in //a where $a/b = 3 return <o>{ $a/b }</o>"
CORRELATION = "SELECT <p>{ $x }</p> FROM S//a AS $x [b AS $v] FOLLOWED BY { $v = $w, 100s } S//z AS $y [b AS $w]"
FORM = "id string, xml string, k int"
pytestmark = pytest.mark.usefixtures("catalog")


@pytest.fixture
def broker(spark_session: Any, tmp_path: Path) -> Iterator[xpubsub.Broker]:
    with xpubsub.connect(tmp_path / "store", spark=spark_session) as opened:
        opened.subscribe_many(SUBSCRIPTIONS)
        yield opened


def jobs(session: Any) -> int:
    return int(session.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def found(frame: Any) -> Counter[tuple[str, str]]:
    return Counter((row["message_id"], row["subscription_id"]) for row in frame.collect())


def pairs(result: Any) -> Counter[tuple[str, str]]:
    return Counter((row["message_id"], row["subscription_id"]) for row in result.notifications.to_pylist())


def messages(session: Any, rows: Any = MESSAGES, parts: int = 3) -> Any:
    return session.createDataFrame([(*row, n) for n, row in enumerate(rows)], FORM).repartition(parts)


def test_the_store_costs_no_jobs(broker: xpubsub.Broker, spark_session: Any) -> None:
    before = jobs(spark_session)
    broker.subscribe("one", "//a")
    broker.subscribe("t", TRANSFORMATION)
    broker.subscribe("c", CORRELATION)
    broker.unsubscribe(["one"])
    assert broker.list().num_rows == 12 and broker.stats()["subscriptions"] == 12 and broker.show("t").text
    broker.gc()
    assert jobs(spark_session) == before


@pytest.mark.parametrize(("plan", "most"), [("partition", (1, 1, 1)), ("sql", (4, 10, 10))])
def test_a_batch_is_a_few_jobs(broker: xpubsub.Broker, spark_session: Any, plan: str, most: tuple[int, ...]) -> None:
    for text, bound in zip(("//a", TRANSFORMATION, CORRELATION), most, strict=True):
        broker.subscribe(text, text)
        before = jobs(spark_session)
        result = broker.publish(MESSAGES, plan=plan)
        assert pairs(result) >= FOUND and 1 <= jobs(spark_session) - before <= bound
        assert result.choice.plan.startswith(plan) and "asked for by name" in result.choice.reason


SEVERAL = [
    *SUBSCRIPTIONS, ("not", "not(//a[b = 3]/c)"), ("text", "contains(//a/b, '1')"), ("first", "//a[starts-with(b, '2') and not(c[@x])]"), ("or", "//a[b = 1 or b = 2]"),
    ("range", "//a/b > 3 and //a/b <= 7"), ("long", "//a and //b and //c and //a/b and //a/c and //b = 5 and //a/b > 2"), ("gone", "//a"),
    ("checked", "count(//c[@x]) = 1 and //a/b < 5"), ("every", "string-length(//b) = 2"),
]
ATTRIBUTE = (" x='1'", "")
NESTED = "for $a in //a return <p>{ for $b in $a/b where $b > 4 return $b }</p>"


def test_a_batch_is_a_few_jobs_with_large_tables(spark_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the user's session is set to; one batch has classes of linear paths."""
    user = spark_session.newSession()
    user.conf.set("spark.sql.shuffle.partitions", "200")
    user.conf.set("spark.sql.adaptive.enabled", "true")
    given = [(f"m{n}", f"<a><b>{n % 12}</b><c{ATTRIBUTE[n % 2]}/></a>") for n in range(60)]
    with xpubsub.connect(tmp_path / "store", spark=user, limits=inside.TABLES_IN_SPARK_SQL) as broker, xpubsub.connect(":memory:") as judge:
        for texts, plans in ((SEVERAL, ("unroll", "share", "unroll")), ([("t", TRANSFORMATION), ("n", NESTED)], ("unroll,fwr", "share,f", "unroll,f"))):
            for each in (broker, judge):
                each.subscribe_many(texts)
                each.unsubscribe(["gone"])
            for plan in plans:
                monkeypatch.setattr(summary, "MANY_PATHS", 0 if plan == "unroll,f" else 8)
                before = jobs(user)
                result = broker.publish(given, plan=f"sql,{plan}")
                taken = jobs(user) - before
                print(f"sql,{plan}: {taken} jobs")
                assert rows(result) == rows(judge.publish(given)) and taken <= (4 if texts is SEVERAL else 10), (plan, taken)


def rows(result: Any) -> Counter[str]:
    return Counter(map(str, result.notifications.to_pylist()))


def test_auto_says_which_plan_it_took_and_why(spark_session: Any, tmp_path: Path) -> None:
    for bound, plan in ((10**9, "partition"), (1000, "sql")):
        limits = xpubsub.Limits(snapshot_bytes=bound)
        with xpubsub.connect(tmp_path / plan, spark=spark_session, limits=limits) as broker:
            broker.subscribe_many(SUBSCRIPTIONS)
            result = broker.publish(MESSAGES)
            assert pairs(result) == FOUND
            assert result.choice.plan == f"{plan},unroll" and "snapshot has" in result.choice.reason
            assert f"plan: {plan},unroll" in broker.explain_sql()


def test_the_plans_for_spark_need_a_store_on_spark() -> None:
    with xpubsub.connect(":memory:") as broker, pytest.raises(xpubsub.Error, match="partition needs a store on Spark"):
        broker.publish(MESSAGES, plan="partition")


def test_a_frame_is_one_job_and_keeps_columns(broker: xpubsub.Broker, spark_session: Any) -> None:
    given = messages(spark_session, [*MESSAGES, ("bad", "<a>")])
    before = jobs(spark_session)
    notifications, rejected = broker.publish_frames(given, keep=["k"])
    assert jobs(spark_session) == before
    shape = "struct<message_id:string,subscription_id:string,output:string,k:int>"
    assert notifications.schema.simpleString() == shape
    assert {(row.message_id, row.k) for row in notifications.collect()} == {(m, int(m[1:])) for m, _ in FOUND}
    [aside] = rejected.collect()
    assert (aside.message_id, aside.code, aside.line, aside.k) == ("bad", "not-well-formed", 1, 60)
    assert found(broker.publish_frame(given, keep="k", plan="sql")) == FOUND


@pytest.mark.parametrize("plan", ["partition", "sql"])
def test_columns_are_kept_whatever_their_names_and_types(broker: xpubsub.Broker, spark_session: Any, plan: str) -> None:
    """And are those of the message itself, also if it was rejected for its id; also of columns that differ by case."""
    user = spark_session.newSession()
    for setting, value in {"caseSensitive": "true", "session.timeZone": "America/New_York", "ansi.enabled": "false"}.items():
        user.conf.set(f"spark.sql.{setting}", value)
    sources = [("'m'", "<a><b>3</b><c/></a>", 1), ("'m'", "<a/>", 2), ("null", "<a/>", 3), ("null", "<a/>", 4), ("'bad'", "<a", 5)]
    given = user.sql(" union all ".join(
        f"select {name} as id, '{xml}' as xml, {n} as `a.b ``c`, map('x', {n}) as K, date'2020-01-0{n}' as k, timestamp'2020-01-0{n} 00:00:00' as t,"
        f" cast({n} as decimal(9, 2)) as d, parse_json('{n}') as v" for name, xml, n in sources)).coalesce(1)
    names = ["a.b `c", "K", "k", "t", "d", "v"]
    notified, rejected = broker.publish_frames(given, keep=names, plan=plan)
    assert notified.columns == ["message_id", "subscription_id", "output", *names]
    for frame, form in ((notified, given.schema.fields[2:]), (rejected, given.schema.fields[2:])):
        assert [(each.name, each.dataType) for each in frame.schema.fields[-6:]] == [(each.name, each.dataType) for each in form]
    expected = {row[2]: [str(each) for each in row[2:]] for row in given.collect()}
    assert [(row[:3], [str(each) for each in row[3:]]) for row in notified.collect()] == [(("m", "s3", None), expected[1])]
    aside = sorted((row.code, [str(each) for each in row[5:]]) for row in rejected.collect())
    assert aside == [("duplicate-id", expected[2]), ("no-id", expected[3]), ("no-id", expected[4]), ("not-well-formed", expected[5])]


def test_frames_without_rows_and_with_empty_partitions(broker: xpubsub.Broker, spark_session: Any) -> None:
    for plan in ("partition", "sql"):
        for rows in ([], [("m", b"<a><b>3</b><c/></a>", 7)]):
            given = spark_session.createDataFrame(rows, "id string, xml binary, k int").repartition(5)
            notified, rejected = broker.publish_frames(given, keep=["k"], plan=plan)
            assert [tuple(row) for row in notified.collect()] == [("m", "s3", None, 7)] * len(rows) and rejected.collect() == []


@pytest.mark.parametrize("plan", ["partition", "sql"])
def test_of_two_messages_with_an_id_the_later_is_rejected(broker: xpubsub.Broker, spark_session: Any, plan: str) -> None:
    """Also if they meet in different partitions, as the batches of a stream on Spark do; only lazy frames differ."""
    given = [(f"m{n % 40}", f"<a><b>{n % 12}</b><c/></a>") for n in range(60)]
    frame = spark_session.createDataFrame(given, "id string, xml string")
    assert frame.rdd.getNumPartitions() > 1
    first = Counter((f"m{n}", f"s{n % 12}") for n in range(40) if n % 12 < 10)
    for messages in (given, frame):
        result = broker._publisher.publish(Batch(messages, "S", PlanRequest.parse(plan)))
        assert pairs(result) == first
        assert [tuple(row.values())[:2] for row in result.rejected.to_pylist()] == [(f"m{n}", "duplicate-id") for n in range(20)]


@pytest.mark.parametrize(("columns", "keep", "said"), [
    ("name string, text string, k int", [], "needs the columns id and xml"), (FORM, ["offset"], "cannot keep offset: the columns are"),
    ("id string, xml string, output int", ["output"], "has a column of that name"), ("id string, xml int, k int", [], "string or binary, not int"),
    (FORM, ["k", "k"], "cannot keep k twice"), ("id string, XML string, Xml string", [], "needs one column xml, but the frame has 2"),
])
def test_a_frame_that_cannot_be_published(broker: xpubsub.Broker, spark_session: Any, columns: str, keep: list[str], said: str) -> None:
    values = ("m", 1 if "xml int" in columns else "<a/>", "" if "Xml" in columns else 1)
    with pytest.raises(xpubsub.Error, match=said):
        broker.publish_frame(spark_session.createDataFrame([values], columns), keep=keep)


@pytest.mark.parametrize(("kind", "value"), [("boolean", True), ("array<int>", [1])])
def test_times_of_other_types(broker: xpubsub.Broker, spark_session: Any, kind: str, value: object) -> None:
    broker.subscribe("c", CORRELATION)
    with pytest.raises(xpubsub.Error, match=f"numbers, timestamps, dates or strings, not {kind}"):
        broker.publish_frame(spark_session.createDataFrame([("m", "<a/>", value)], f"id string, xml string, timestamp {kind}"))


def test_times_do_not_depend_on_the_session(spark_session: Any) -> None:
    """Strings, dates and timestamps without a zone are in UTC."""
    user = spark_session.newSession()
    texts = {"2020-01-01T00:00:10": 10.0, "2020-01-01": 0.0, "2020-01-01T00:00:00+02:00": -7200.0, "x": None}
    typed = {"date'2020-01-02'": 86400.0, "timestamp_ntz'2020-01-01 00:00:01'": 1.0, "timestamp_ltz'2020-01-01 00:00:02Z'": 2.0, "5.5": 5.5 - 1577836800}
    for zone, kind, ansi in (("UTC", "TIMESTAMP_LTZ", "true"), ("America/New_York", "TIMESTAMP_NTZ", "false")):
        for setting, value in {"session.timeZone": zone, "timestampType": kind, "ansi.enabled": ansi}.items():
            user.conf.set(f"spark.sql.{setting}", value)
        for source, wanted in [*((f"'{text}'", wanted) for text, wanted in texts.items()), *typed.items()]:
            [row] = FrameColumns(user.sql(f"select 'm' as id, '<a/>' as xml, {source} as timestamp")).timed_rows().collect()
            assert row["time"] == (None if wanted is None else 1577836800 + wanted), (source, zone)


def test_other_things_are_no_frames(broker: xpubsub.Broker) -> None:
    with pytest.raises(xpubsub.Error, match="needs a Spark DataFrame, not list"):
        broker.publish_frame(MESSAGES)  # type: ignore[arg-type]


def stream_of(session: Any, folder: Path) -> Any:
    messages(session).write.parquet(str(folder))
    return session.readStream.schema(FORM).parquet(str(folder))


def test_a_streaming_frame_goes_through(broker: xpubsub.Broker, spark_session: Any, tmp_path: Path) -> None:
    frame = broker.publish_frame(stream_of(spark_session, tmp_path / "in"), keep=["k"])
    assert frame.isStreaming
    writer = frame.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "marks"))
    query = writer.option("path", str(tmp_path / "out")).trigger(availableNow=True).start()
    assert query.awaitTermination(120) and query.exception() is None
    assert found(spark_session.read.parquet(str(tmp_path / "out"))) == FOUND


@pytest.mark.parametrize("plan", ["partition", "sql"])
def test_each_batch_of_a_stream_is_published(broker: xpubsub.Broker, spark_session: Any, tmp_path: Path, plan: str) -> None:
    """The function runs in a session of its own, which has no temporary views of others."""
    seen: Counter[tuple[str, str]] = Counter()

    def publish(frame: Any, _: int) -> None:
        seen.update(found(broker.publish_frame(frame, plan=plan)))

    writer = stream_of(spark_session, tmp_path / "in").writeStream.foreachBatch(publish)
    query = writer.option("checkpointLocation", str(tmp_path / "marks")).trigger(availableNow=True).start()
    assert query.awaitTermination(120) and query.exception() is None
    assert seen == FOUND


def test_a_streaming_frame_cannot_be_joined(broker: xpubsub.Broker, spark_session: Any, tmp_path: Path) -> None:
    stream = stream_of(spark_session, tmp_path / "in")
    with pytest.raises(xpubsub.Error, match="foreachBatch"):
        broker.publish_frame(stream, plan="sql")
    broker.subscribe("c", CORRELATION)
    with pytest.raises(xpubsub.Error, match="foreachBatch"):
        broker.publish_frame(stream)
    broker.publish_frame(stream, stream="other")


def test_any_spark_user_can_query_the_tables(broker: xpubsub.Broker, spark_session: Any) -> None:
    tables: SparkTables = broker._publisher._tables  # type: ignore[attr-defined]
    table = f"{tables.database}.subscription"
    assert spark_session.table(table).count() == 10
    broker.subscribe("one", "//a")
    assert spark_session.table(table).count() == 11
    broker.unsubscribe(["one"])
    broker.gc()
    assert spark_session.table(table).count() == 10
    assert spark_session.table(f"{tables.database}.join_edge").count() == 0


def test_two_brokers_of_a_store_see_each_other(broker: xpubsub.Broker, spark_session: Any, tmp_path: Path) -> None:
    with xpubsub.connect(tmp_path / "store", spark=spark_session) as other:
        other.subscribe("one", "//a")
        assert broker.list().num_rows == 11
        assert pairs(broker.publish(MESSAGES)) == FOUND + Counter((name, "one") for name, _ in MESSAGES)
        broker.unsubscribe(["one"])
        broker.gc()
        assert other.list().num_rows == 10 and pairs(other.publish(MESSAGES)) == FOUND


def test_a_snapshot_that_is_lost_is_written_again_or_named(broker: xpubsub.Broker, spark_session: Any) -> None:
    assert pairs(broker.publish(MESSAGES)) == FOUND
    frame = broker.publish_frame(messages(spark_session))
    broker.subscribe("one", "//none")
    files = broker._publisher._snapshot_files  # type: ignore[attr-defined]
    broker.publish(MESSAGES)
    for path in files._written:
        os.remove(path)
    assert pairs(broker.publish(MESSAGES)) == FOUND
    with pytest.raises(Exception, match="is gone: publish again"):
        frame.collect()


def test_a_disk_that_is_full(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    files = broker._publisher._snapshot_files  # type: ignore[attr-defined]

    def full(source: str, target: str) -> None:
        Path(target).write_bytes(b"part")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", full)
        with pytest.raises(xpubsub.EngineError, match=r"cannot be written to .*No space left.*set TMPDIR"):
            broker.publish(MESSAGES)
    assert not list(Path(files._folder.name).iterdir())
    assert pairs(broker.publish(MESSAGES)) == FOUND


def test_sessions_that_are_none(tmp_path: Path, spark_session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(xpubsub.Error, match="spark must be a SparkSession, not str"):
        xpubsub.connect(tmp_path / "store", spark="local")  # type: ignore[arg-type]
    with pytest.raises(xpubsub.Error, match="the engine duckdb has no Spark session"):
        xpubsub.connect(tmp_path / "store.duckdb", engine="duckdb", spark=spark_session)
    session = spark_session.newSession()
    with xpubsub.connect(tmp_path / "store", spark=session) as broker:
        broker.subscribe("s", "//a")
        with monkeypatch.context() as patch:
            patch.setattr(session, "_sc", SimpleNamespace(_jsc=None))
            for plan in ("partition", "sql"):
                with pytest.raises(xpubsub.EngineError, match="has been stopped: open the store again"):
                    broker.publish(MESSAGES, plan=plan)
            assert broker.list().num_rows == 1


def test_a_worker_that_is_killed(broker: xpubsub.Broker, spark_session: Any, tmp_path: Path) -> None:
    """A local Spark does not try again: the batch fails as a whole, nothing is stored, and the next one works."""
    broker.subscribe("c", CORRELATION)
    sign = tmp_path / "killed"

    def killing(batches: Any) -> Any:
        for batch in batches:
            if not sign.exists():
                sign.write_text("")
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    given = messages(spark_session, parts=2)
    frame = given.mapInArrow(killing, FORM)
    before = broker.stats()
    with pytest.raises(xpubsub.EngineError):
        broker.publish_frame(frame)
    assert broker.stats() == before
    assert found(broker.publish_frame(frame)) >= FOUND


def test_many_rows_of_one_transaction_are_all_written(tmp_path: Path) -> None:
    """DuckDB takes a table that is created empty by `select … limit 0` for empty until the transaction ends."""
    from xpubsub.engines.parquet import ParquetEngine
    from xpubsub.step import Step

    engine = ParquetEngine(str(tmp_path / "store"))
    engine.define("create table if not exists numbers (n bigint, t varchar)")
    with engine.pipeline(), engine.transaction():
        engine.run(Step("many", "select unnest(generate_series(1, 130000)) as n"))
        engine.append("numbers", Step("all", "select n from many"))
    engine.close()
    other = ParquetEngine(str(tmp_path / "store"))
    other.define("create table if not exists numbers (n bigint, t varchar)")
    assert other.fetch(Step("sum", "select count(*) as n, sum(n) as s from numbers")).to_pylist() == [{"n": 130_000, "s": 130_000 * 130_001 // 2}]
    other.close()


def test_a_worker_without_the_package_says_what_to_do(tmp_path: Path) -> None:
    """When a lazy frame is computed, too, which is out of our hands."""
    from pyspark import cloudpickle

    from xpubsub.engines.spark_session import _named_if_missing

    (tmp_path / "function").write_bytes(cloudpickle.dumps(_named_if_missing(xpubsub.arrow.flowing(lambda batches: iter(())))))
    run = "import pickle, sys; sys.modules['xpubsub'] = None; list(pickle.load(open(sys.argv[1], 'rb'))(iter(())))"
    ended = subprocess.run([sys.executable, "-c", run, str(tmp_path / "function")], check=False, capture_output=True, text=True, timeout=60)
    assert "Spark's workers have no package xpubsub" in ended.stderr and "set PYSPARK_PYTHON" in ended.stderr, ended.stderr


def test_a_worker_out_of_memory(spark_session: Any, tmp_path: Path) -> None:
    limits = xpubsub.Limits(worker_memory=2_000_000)
    messages = [(f"m{n}", "<a>" + "".join(f"<b>{n + each}</b>" for each in range(200)) + "</a>") for n in range(500)]
    expected = Counter((f"m{n}", f"s{each}") for n in range(500) for each in range(0, 500, 50) if n <= each < n + 200)
    with xpubsub.connect(tmp_path / "store", spark=spark_session, limits=limits) as broker:
        broker.subscribe_many([(f"s{each}", f"//a[b = {each}]") for each in range(0, 500, 50)])
        with pytest.raises(xpubsub.EngineError, match=r"raise Limits\.worker_memory"):
            broker.publish(messages)
    with xpubsub.connect(tmp_path / "store", spark=spark_session) as broker:
        rows = broker.publish(messages).notifications.to_pylist()
    assert Counter((row["message_id"], row["subscription_id"]) for row in rows) == expected


def test_a_large_batch_travels_in_parts_of_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    from xpubsub.engines import spark_jobs

    rows = pa.table({"event_id": list(range(1000)), "text": ["x" * 100] * 1000})
    monkeypatch.setattr(spark_jobs, "PART_BYTES", rows.nbytes // 4)
    for least, expected in ((1, 5), (7, 7)):
        parts = [pa.Table.from_batches(list(arrow_batches(part))) for part in spark_jobs._parts(rows, least)]
        assert len(parts) == expected
        assert pa.concat_tables(parts).equals(rows)
    assert len(spark_jobs._parts(rows.slice(0, 2), 8)) == 2
