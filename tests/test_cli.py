"""The command line: each command, what it prints, where, and how it exits."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import xpubsub
from xpubsub.cli.messages import read_message
from xpubsub.cli.program import COMMANDS, program
from xpubsub.cli.tally import Tally

TICK = "<stock><symbol>YHOO</symbol><price>{}</price></stock>"
FILTER = "/stock[symbol='YHOO']/price > 50"


def run(*arguments: object, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(program, [str(each) for each in arguments], input=stdin, prog_name="xpubsub")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module")
def subscribed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("subscribed") / "subs.duckdb"
    assert run("subscribe", path, "--id", "s1", FILTER).exit_code == 0
    return path


@pytest.fixture
def store(subscribed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(subscribed, tmp_path))


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    (folder / "deep").mkdir(parents=True)
    (folder / "high.xml").write_text(TICK.format(60))
    (folder / "deep" / "low.xml").write_text(TICK.format(40))
    (folder / "note.txt").write_text("not a message")
    return folder


def test_init_creates_and_repeats(tmp_path: Path) -> None:
    path = tmp_path / "subs.duckdb"
    first, second = run("init", path, "--slots", 3), run("init", path)
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "applied 0001_" in first.stdout and "applied" not in second.stdout
    assert run("init", path, "--slots", 4).exit_code == 2


def test_init_prints_sql_and_changes_nothing(tmp_path: Path) -> None:
    result = run("init", tmp_path / "subs.duckdb", "--print-sql")
    assert result.exit_code == 0
    assert "create table" in result.stdout.lower() and "query_predicate" in result.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [
    [], ["--id", "s2"], [FILTER], ["--id", "s2", FILTER, "--from", "subs.csv"], ["--id", "s2", "--from", "subs.csv"],
])
def test_subscribe_wants_one_form(store: Path, arguments: list[str]) -> None:
    result = run("subscribe", store, *arguments)
    assert result.exit_code == 2
    assert "--id ID TEXT, or many as --from FILE" in result.stderr


def test_subscribe_names_the_place_of_a_mistake(store: Path) -> None:
    result = run("subscribe", store, "--id", "s2", "/stock[tokenize(a, 1)]")
    assert result.exit_code == 2
    assert "line 1, column 8" in result.stderr and "^" in result.stderr
    assert "Traceback" not in result.output


def test_subscribe_from_file(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "more.csv"
    file.write_text(f'id,text\ns1,"{FILTER}"\ns2,//price\n')
    assert run("subscribe", store, "--from", file).stdout == f"subscribed 1 from {file} (1 was already there)\n"
    assert run("subscribe", store, "--from", file).stdout == f"subscribed 0 from {file} (all 2 were already there)\n"


@pytest.mark.parametrize(("name", "content", "line"), [
    ("bad.csv", "id,text\ns2,//price\n\ns3,//price[\n", 4),
    ("bad.csv", '"s2","//a[b\n=1]"\ns3,//price[\n', 3),
    ("bad.tsv", "s2\t//price\ns3\t//price[\n", 2),
    ("bad.jsonl", '["s2", "//price"]\n\n{"id": "s3", "text": "//price["}\n', 3),
])
def test_a_bad_row_is_named_with_file_and_line(store: Path, tmp_path: Path, name: str, content: str, line: int) -> None:
    file = tmp_path / name
    file.write_text(content)
    result = run("subscribe", store, "--from", file)
    assert result.exit_code == 2
    assert f"{file}:{line}: s3: " in result.stderr
    assert "s2" not in run("list", store).stdout


def test_namespaces(store: Path) -> None:
    added = run("subscribe", store, "--id", "n1", "//f:trade", "--namespace", "f=urn:f", "--namespace", "=urn:d")
    assert added.exit_code == 0, added.stderr
    assert "prefix f=urn:f" in run("show", store, "n1").stdout
    assert run("subscribe", store, "--id", "n2", "//f:t", "--namespace", "f").exit_code == 2
    assert run("subscribe", store, "--id", "n2", "//f:t", "--namespace", "f=a", "--namespace", "f=b").exit_code == 2


def test_limits_of_subscriptions(store: Path) -> None:
    result = run("subscribe", store, "--id", "s2", "//price", "--max-expression", 3)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_unsubscribe_notes_unknown_ids(store: Path) -> None:
    result = run("unsubscribe", store, "s1", "nobody")
    assert result.exit_code == 0
    assert result.stdout == "unsubscribed s1\n"
    assert result.stderr == "note: there is no subscription nobody\n"


@pytest.mark.parametrize("command", [
    ["unsubscribe", "STORE", "s1"], ["publish", "STORE", "-"], ["explain", "STORE", "s1", "-"], ["list", "STORE"],
    ["show", "STORE", "s1"], ["stats", "STORE"], ["gc", "STORE"],
])
def test_a_missing_store_is_refused_and_not_created(tmp_path: Path, command: list[str]) -> None:
    store = tmp_path / "typo.duckdb"
    result = run(*(str(store) if each == "STORE" else each for each in command), stdin="")
    assert result.exit_code == 2
    assert f"xpubsub init {store}" in result.stderr
    assert not store.exists()


def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "letter.duckdb"
    path.write_text("Dear reader, " * 1000)
    result = run("list", path)
    assert result.exit_code == 2
    assert str(path) in result.stderr


def test_publish_a_directory(store: Path, inbox: Path) -> None:
    result = run("publish", store, inbox)
    assert result.exit_code == 0
    assert result.stdout == f"message_id\tsubscription_id\toutput\n{inbox}/high.xml\ts1\t\n"
    assert result.stderr == "2 messages, 1 notifications, 0 rejected\n"


def test_publish_globs_and_files(store: Path, inbox: Path) -> None:
    assert "1 messages" in run("publish", store, f"{inbox}/h*.xml").stderr
    assert "2 messages" in run("publish", store, f"{inbox}/**/*.xml").stderr
    assert run("publish", store, f"{inbox}/z*.xml").exit_code == 2
    missing = run("publish", store, inbox / "high.xml", inbox / "missing.xml")
    assert missing.exit_code == 2 and "missing.xml" in missing.stderr


def test_a_directory_without_messages_is_no_error(store: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = run("publish", store, tmp_path / "empty")
    assert (result.exit_code, result.stdout) == (0, "message_id\tsubscription_id\toutput\n")


@pytest.mark.parametrize("batch_size", [1, 2, 10_000])
def test_publish_lines_of_standard_input(store: Path, batch_size: int) -> None:
    lines = f"{TICK.format(60)}\n\n{TICK.format(40)}\n{TICK.format(70)}"
    result = run("publish", store, "-", "--batch-size", batch_size, stdin=lines)
    names = sorted(row.split("\t")[0] for row in result.stdout.splitlines()[1:])
    assert [re.fullmatch(r"stdin-\d{8}T\d{6}\.\d{6}-[0-9a-f]{4}-(\d)", name)[1] for name in names] == ["1", "4"]  # type: ignore[index]


def test_rejected_messages_are_named_and_change_the_exit_code(store: Path, inbox: Path) -> None:
    (inbox / "broken.xml").write_text("<stock>\n  <price>")
    result = run("publish", store, inbox)
    assert result.exit_code == 1
    assert f"rejected {inbox}/broken.xml:2:" in result.stderr
    assert "high.xml" in result.stdout


@pytest.mark.parametrize("batch_size", [1, 10])
def test_a_file_that_is_named_twice_is_rejected_once(store: Path, inbox: Path, batch_size: int) -> None:
    result = run("publish", store, inbox / "high.xml", inbox, "--batch-size", batch_size)
    assert result.exit_code == 1
    assert "the file is given twice [duplicate-id]" in result.stderr and "3 messages, 1 notifications, 1 rejected" in result.stderr


PAID = """SELECT <paid>{ $o/@id, $p/amount }</paid>
FROM S/order AS $o [@id AS $i] FOLLOWED BY { $i = $r, 30d } S/payment AS $p [order AS $r] PUBLISH paid"""
ORDER, PAYMENT = "<order id='7'/>", "<payment><order>7</order><amount>12</amount></payment>"


@pytest.fixture(scope="module")
def awaiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("awaiting") / "paying.duckdb"
    assert run("subscribe", path, "--id", "c1", PAID).exit_code == 0
    assert run("subscribe", path, "--id", "p1", "/paid", "--stream", "paid").exit_code == 0
    return path


@pytest.fixture
def paying(awaiting: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(awaiting, tmp_path))


def test_two_runs_of_standard_input_are_two_messages(paying: Path) -> None:
    assert "0 notifications" in run("publish", paying, "-", stdin=ORDER).stderr
    assert "2 notifications" in run("publish", paying, "-", stdin=PAYMENT).stderr


def test_a_file_name_used_twice_is_two_messages(paying: Path, tmp_path: Path) -> None:
    """Both are kept and notified by the file's name; with --replace the second takes the place of the first."""
    file, other = tmp_path / "m.xml", tmp_path / "n.xml"
    file.write_text(ORDER)
    assert "0 notifications" in run("publish", paying, file).stderr
    assert "0 notifications" in run("publish", paying, file).stderr
    file.write_text(PAYMENT)
    result = run("publish", paying, file)
    assert "4 notifications" in result.stderr, "two orders, and what is published of each"
    assert result.stdout.count(f"{file}\tc1\t") == 2
    file.write_text(ORDER)
    assert run("publish", paying, file, "--replace").exit_code == 0
    assert run("publish", paying, file, "--replace").exit_code == 0, "an id that the user gives replaces its like alone"
    other.write_text(PAYMENT)
    assert "6 notifications" in run("publish", paying, other).stderr


def test_what_cannot_be_read_is_rejected_and_the_others_go_on(store: Path, inbox: Path, tmp_path: Path) -> None:
    (inbox / "zlast.xml").symlink_to(tmp_path / "gone.xml")
    (inbox / "loop.xml").symlink_to(inbox / "loop.xml")
    (inbox / "folder.xml").mkdir()
    for messages in ([inbox], sorted(inbox.glob("*.xml"))):
        result = run("publish", store, *messages, "--batch-size", 1)
        assert result.exit_code == 1 and "high.xml\ts1" in result.stdout
        assert f"rejected {inbox}/zlast.xml: a broken link to {tmp_path}/gone.xml [unreadable]" in result.stderr
        assert f"rejected {inbox}/loop.xml: " in result.stderr and "2 rejected" in result.stderr
    rejects = tmp_path / "rejects.jsonl"
    assert run("publish", store, inbox, "--rejects", rejects).exit_code == 1
    assert [json.loads(line)["code"] for line in rejects.read_text().splitlines()] == ["unreadable", "unreadable"]


def test_a_file_without_permission_and_one_that_vanishes_are_rejected(
    store: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: str, max_bytes: int) -> bytes:
        if path.endswith("high.xml"):
            raise PermissionError(13, "Permission denied", path)
        return read_message(path, max_bytes)

    monkeypatch.setattr("xpubsub.cli.messages.read_message", denied)
    result = run("publish", store, inbox)
    assert result.exit_code == 1 and "high.xml: Permission denied [unreadable]" in result.stderr
    monkeypatch.undo()
    monkeypatch.setattr("xpubsub.cli.publish_command.message_paths", lambda _: [str(inbox / "gone.xml")])
    result = run("publish", store, inbox, "--file-times")
    assert result.exit_code == 1 and "gone.xml: No such file or directory [unreadable]" in result.stderr


def test_only_some_rejected_messages_are_listed(store: Path) -> None:
    result = run("publish", store, "-", stdin="<a>\n" * 25)
    assert result.stderr.count("rejected stdin-") == 20
    assert "... and 5 more" in result.stderr


def test_limits_of_messages(store: Path, inbox: Path) -> None:
    assert run("publish", store, inbox / "high.xml", "--max-bytes", 20).exit_code == 1
    assert run("publish", store, inbox / "high.xml", "--max-depth", 1).exit_code == 1
    long_line = run("publish", store, "-", "--max-bytes", 80, stdin=f"<a>{'x' * 1000}</a>\n{TICK.format(60)}\n")
    assert long_line.exit_code == 1
    assert "-2\ts1" in long_line.stdout and "2 messages" in long_line.stderr


def test_output_formats(store: Path, inbox: Path, tmp_path: Path) -> None:
    expected = {"message_id": f"{inbox}/high.xml", "subscription_id": "s1", "output": None}
    for ending in ("csv", "tsv", "jsonl", "parquet"):
        assert run("publish", store, inbox, "--output", tmp_path / f"out.{ending}").stdout == ""
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == [expected]
    assert json.loads((tmp_path / "out.jsonl").read_text()) == expected
    with (tmp_path / "out.csv").open(newline="") as lines:
        assert list(csv.DictReader(lines)) == [{**expected, "output": ""}]
    assert (tmp_path / "out.tsv").read_text().splitlines()[1] == f"{inbox}/high.xml\ts1\t"


def test_transformations(store: Path, inbox: Path, tmp_path: Path) -> None:
    flwr = "for $q in /stock where $q/price > 50 return <tick>{ $q/symbol, $q/price }</tick>"
    assert run("subscribe", store, "--id", "t1", flwr).exit_code == 0
    assert "transformation" in run("list", store).stdout
    assert run("publish", store, inbox, "--output", tmp_path / "out.parquet", "--plan", "unroll,fw").exit_code == 0
    made = {row["subscription_id"]: row["output"] for row in pq.read_table(tmp_path / "out.parquet").to_pylist()}
    assert made == {"s1": None, "t1": "<tick><symbol>YHOO</symbol><price>60</price></tick>"}
    explained = run("explain", store, "t1", inbox / "deep" / "low.xml", "--sql").stdout
    assert "holds at no" in explained and "plan: unroll,fwr" in explained and "== returned" in explained
    wrong = run("subscribe", store, "--id", "t2", "for $q in /stock group by $q/price return $q")
    assert wrong.exit_code == 2 and "group" in wrong.stderr and "column 18" in wrong.stderr


def test_rejects_file(store: Path, inbox: Path, tmp_path: Path) -> None:
    (inbox / "broken.xml").write_text("<stock>")
    result = run("publish", store, inbox, "--rejects", tmp_path / "rejects.jsonl")
    row = json.loads((tmp_path / "rejects.jsonl").read_text())
    assert result.exit_code == 1
    assert row["message_id"].endswith("broken.xml") and row["line"] == 1
    assert result.stderr == "3 messages, 1 notifications, 1 rejected\n"


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_failed_publish_leaves_the_old_output_alone(
    store: Path, inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    target = tmp_path / "out" / f"matches.{ending}"
    target.parent.mkdir()
    target.write_text("old")
    add, calls = Tally.add, []

    def failing(tally: Tally, result: xpubsub.Result) -> None:
        add(tally, result)
        calls.append(result)
        if len(calls) == 2:
            raise xpubsub.EngineError("out of memory")

    monkeypatch.setattr(Tally, "add", failing)
    result = run("publish", store, inbox, "--output", target, "--batch-size", 1)
    assert result.exit_code == 2 and "out of memory" in result.stderr
    assert target.read_text() == "old"
    assert list(target.parent.iterdir()) == [target]


def test_bad_targets_are_refused_before_publishing(store: Path, inbox: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for target in ("out.xlsx", "out", "missing/out.csv", "folder.csv"):
        assert run("publish", store, inbox, "--output", tmp_path / target).exit_code == 2
    same = tmp_path / "same.csv"
    assert run("publish", store, inbox, "--output", same, "--rejects", same).exit_code == 2
    assert not same.exists()


def test_plans_and_timings(store: Path, inbox: Path) -> None:
    for plan in ("auto", "unroll", "share", "bucket"):
        result = run("publish", store, inbox, "--plan", plan, "--timings")
        assert "high.xml\ts1" in result.stdout
        assert result.stderr.startswith("plan ") and " s  shred\n" in result.stderr
    assert run("publish", store, inbox, "--plan", "magic").exit_code == 2


def test_progress_is_a_line_per_batch_off_a_terminal(store: Path, inbox: Path) -> None:
    result = run("publish", store, inbox, "--progress", "--batch-size", 1)
    assert "1 messages, " in result.stderr and "2 messages, 1 notifications\n" in result.stderr


def test_streams_are_kept_apart(store: Path, inbox: Path) -> None:
    assert "0 notifications" in run("publish", store, inbox, "--stream", "other").stderr


def test_explain(store: Path, inbox: Path) -> None:
    assert run("explain", store, "s1", inbox / "high.xml").exit_code == 0
    why_not = run("explain", store, "s1", inbox / "deep" / "low.xml")
    assert why_not.exit_code == 0 and "price" in why_not.stdout
    assert run("explain", store, "s1", "-", stdin=TICK.format(60)).exit_code == 0
    assert "select" in run("explain", store, "s1", inbox / "high.xml", "--sql").stdout.lower()
    assert run("explain", store, "nobody", inbox / "high.xml").exit_code == 2
    assert run("explain", store, "s1", inbox / "missing.xml").exit_code == 2


def test_explain_takes_the_stream(store: Path, inbox: Path) -> None:
    other = run("explain", store, "s1", inbox / "high.xml", "--stream", "stocks")
    assert other.exit_code == 0 and other.stdout.startswith("s1 does not match")
    assert "reads stream 'S'; the message was published to 'stocks'" in other.stdout


def test_explain_a_pair(store: Path, tmp_path: Path) -> None:
    text = "o//order AS $a [./@id AS $i] FOLLOWED BY { $i = $j, 1m } p//payment AS $b [./@for AS $j]"
    assert run("subscribe", store, "--id", "pair", text).exit_code == 0
    order, payment = tmp_path / "order.xml", tmp_path / "payment.xml"
    order.write_text('<order id="7"/>')
    payment.write_text('<payment for="7"/>')
    streams = "--stream", "o", "--stream", "p"
    paid = run("explain", store, "pair", order, payment, *streams, "--time", "0", "--time", "30")
    assert paid.exit_code == 0 and paid.stdout.startswith("pair matches")
    assert paid.stdout.endswith(f"message 1: {order}\nmessage 2: {payment}\n")
    late = run("explain", store, "pair", order, payment, *streams, "--time", "2026-01-31T12:00", "--time", "2026-01-31T12:05")
    assert "message 2 is 300 s later than message 1" in late.stdout and late.stdout.startswith("pair does not match")
    os.utime(order, (100, 100))
    os.utime(payment, (100.5, 100.5))
    assert "0.5 s later" in run("explain", store, "pair", order, payment, *streams, "--file-times").stdout
    assert run("explain", store, "pair", order, "-", *streams, stdin='<payment for="8"/>').exit_code == 0


@pytest.mark.parametrize(("arguments", "reason"), [
    (["MESSAGE", "MESSAGE"], "'s1' is a filter: give 1 message to explain, not 2"),
    (["-", "-"], "- is given twice"), ([], "give the id of a subscription, and at least one message"),
    (["MESSAGE", "--time", "soon"], "a message's time is a number of seconds or a datetime"),
    (["MESSAGE", "--time", "nan"], "time"), (["MESSAGE", "--time", "1", "--time", "2"], "times: give one for each message"),
    (["MESSAGE", "--time", "1", "--file-times"], "use --time or --file-times, not both"),
    (["MESSAGE", "--stream", "a", "--stream", "b"], "streams: give one for each message"),
    (["MESSAGE", "--stream", ""], "a stream's name is empty"),
    (["nothing.xml", "--file-times"], "nothing.xml"),
])
def test_explain_refuses(store: Path, inbox: Path, arguments: list[str], reason: str) -> None:
    result = run("explain", store, "s1", *(str(inbox / "high.xml") if each == "MESSAGE" else each for each in arguments))
    assert result.exit_code == 2 and reason in result.stderr


def test_list_show_stats(store: Path, tmp_path: Path) -> None:
    assert FILTER in run("list", store).stdout
    assert run("list", store, "--output", tmp_path / "list.jsonl").exit_code == 0
    assert json.loads((tmp_path / "list.jsonl").read_text())["text"] == FILTER
    assert run("show", store, "s1").stdout.startswith("s1: filter on stream S, dialect xpath\n")
    assert run("show", store, "nobody").exit_code == 2
    assert run("stats", store).stdout.startswith("name\tamount\n")


def test_gc_reports_rows_by_table(store: Path) -> None:
    run("unsubscribe", store, "s1")
    result = run("gc", store)
    assert result.exit_code == 0
    assert result.stdout.startswith("table\trows\n")
    assert any(int(line.split("\t")[1]) > 0 for line in result.stdout.splitlines()[1:])


def test_master_goes_with_spark(store: Path) -> None:
    assert run("list", store, "--master", "local[2]").exit_code == 2


def test_demo() -> None:
    result = run("demo")
    assert result.exit_code == 0
    for words in ("Subscribed 300", "Published 300 messages", "1 rejected", "plan ", "The first 10 matches", "Why "):
        assert words in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_the_engine(command: str) -> None:
    text = run(command, "--help").stdout
    assert f"xpubsub {command}" in text.split("Example", 1)[1]
    needs_no_store = command == "merge"
    assert needs_no_store or ("--engine" in text and "--master" in text)


def test_no_command_is_wrong_usage() -> None:
    assert run("nonsense").exit_code == 2
    assert run("--version").stdout.startswith("xpubsub ")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("failing", ["touch", "write", "replace"])
def test_errors_of_output_name_the_file_that_was_asked_for(
    store: Path, inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, failing: str
) -> None:
    """No permission, a full disk: whatever fails, the file written meanwhile is neither named nor left."""
    target = tmp_path / "out" / f"matches.{ending}"
    target.parent.mkdir()

    def fails(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device", f"{target.parent}/.matches.123.{ending}")

    if failing == "write":
        for writer in ("DelimitedWriter", "JsonLinesWriter", "ParquetWriter"):
            monkeypatch.setattr(f"xpubsub.cli.writers.{writer}.write", fails)
    elif failing == "replace":
        monkeypatch.setattr("xpubsub.cli.output.os.replace", fails)
    else:
        monkeypatch.setattr(Path, failing, fails)
    result = run("publish", store, inbox, "--output", target)
    monkeypatch.undo()
    assert result.exit_code == 2
    assert result.stderr == f"Error: {target} cannot be written: No space left on device\n"
    assert not list(target.parent.iterdir())


def test_bad_targets_are_named_as_they_were_given(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    assert run("list", store, "--output", "missing/out.csv").stderr == "Error: missing/out.csv: no such directory: missing\n"
    assert run("list", store, "--output", "folder.csv").stderr == "Error: folder.csv is a directory\n"
