"""A DuckDB store that a streaming job has open: other processes reach it by the job's control socket."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import stat
import struct
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from click.testing import Result

import xpubsub
from tests.streaming_job import StreamingJob, waited
from tests.test_cli import run
from xpubsub.errors import HeldStore, LocatedError
from xpubsub.jobs.control import server
from xpubsub.jobs.control.failures import packed_error, unpacked_error
from xpubsub.jobs.control.frames import REQUEST_BYTES, Frame, receive
from xpubsub.jobs.control.place import reach
from xpubsub.remote import RemoteBroker

NOBODY = 65534
STREAMING = Path(__file__).parent.parent / "docs" / "streaming.md"
CORRELATION = "FROM S//a AS $a [.//b AS $b] FOLLOWED BY {$b = $c, 10m} S//a AS $d [.//b AS $c]"
TICK = "<stock><symbol>YHOO</symbol><price>60</price></stock>"
FILES = {
    "tick.xml": TICK,
    "low.xml": "<stock><symbol>YHOO</symbol><price>5</price></stock>",
    "good.csv": "id,text\nf1,/a\nf2,/b[c = 1]\ns1,/stock/price > 50\n",
    "bad.csv": "id,text\ng1,/a\ng2,/a[\ng3,/a[b=\n",
    "own.jsonl": '{"id": "o1", "text": "/p:a", "namespaces": {"p": "urn:p"}, "stream": "T"}\n',
    "own_bad.jsonl": '{"id": "o2", "text": "/a", "dialect": "latin"}\n{"id": "o3", "text": "/a"}\n',
    "book.dtd": "<!ELEMENT book (title*)>\n<!ELEMENT title (#PCDATA)>\n",
}
COMMANDS = [
    ("subscribe", "STORE", "--id", "s2", "//price"),
    ("subscribe", "STORE", "--id", "s2", "//symbol"),
    ("subscribe", "STORE", "--id", "s3", "//price[. >"),
    ("subscribe", "STORE", "--id", "s3", "//price/following::x"),
    ("subscribe", "STORE", "--id", "s4", "/a[b = 1 and b = 2 or c = 'x'] or /d", "--max-disjuncts", "1"),
    ("subscribe", "STORE", "--id", "s5", "/a < 'b'"),
    ("subscribe", "STORE", "--id", "s6", "/p:a", "--namespace", "p=urn:p", "--stream", "T", "--max-delay", "5 s"),
    ("subscribe", "STORE", "--id", "s7", "/a", "--max-delay", "soon"),
    ("subscribe", "STORE", "--from", "good.csv"),
    ("subscribe", "STORE", "--from", "bad.csv"),
    ("subscribe", "STORE", "--from", "own.jsonl"),
    ("subscribe", "STORE", "--from", "own_bad.jsonl"),
    ("unsubscribe", "STORE", "s2", "nobody"),
    ("list", "STORE"),
    ("show", "STORE", "s6"),
    ("show", "STORE", "nobody"),
    ("explain", "STORE", "s1", "tick.xml"),
    ("explain", "STORE", "s1", "low.xml", "--sql"),
    ("explain", "STORE", "--spill", "low.xml", "--load", "3"),
    ("explain", "STORE", "--spill", "low.xml", "--load", "0"),
    ("schema", "STORE", "book.dtd", "--name", "books"),
    ("schema", "STORE"),
    ("schema", "STORE", "--remove", "--name", "books"),
    ("clock", "STORE", "--stream", "S", "--set", "2124-05-01T12:00:00Z"),
    ("clock", "STORE", "--stream", "S", "--set", "2124-05-01T12:00:00Z", "--max-future", "inf"),
    ("clock", "STORE"),
    ("gc", "STORE"),
    ("stats", "STORE"),
    ("init", "STORE"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "s.duckdb"
    with xpubsub.connect(path) as broker:
        broker.subscribe_many([("s1", "/stock/price > 50"), ("c1", CORRELATION)])
    return path


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path))


@pytest.fixture(scope="module")
def job(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StreamingJob]:
    """One job for the tests that leave it running."""
    started = StreamingJob(Path(shutil.copy(made, tmp_path_factory.mktemp("job"))))
    yield started
    started.kill()


@contextmanager
def served(store: Path) -> Iterator[RemoteBroker]:
    """Serve a store in this process, where `connect` would not use the socket."""
    with xpubsub.connect(store) as broker, server.serving(broker.store.engine.held_file, broker._limited):
        yield remote(store)


def remote(store: Path) -> RemoteBroker:
    return RemoteBroker(HeldStore(str(store), str(store)), xpubsub.Limits())


def test_commands_give_what_they_give_without_a_job(job: StreamingJob, made: Path, tmp_path: Path,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Path(shutil.copy(made, tmp_path))
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    with xpubsub.connect(plain):
        for command in COMMANDS:
            given = [run(*(path if each == "STORE" else each for each in command)) for path in (plain, job.store)]
            assert shown(given[0], plain) == shown(given[1], job.store), command
    assert run("list", job.store, "--output", "listed.jsonl").exit_code == 0
    assert Path("listed.jsonl").read_text().count("\n") == 9


def shown(result: Result, store: Path) -> tuple[int, str, str]:
    """What a command shows, whatever the place of the store, the time, and what was measured."""
    stderr = re.sub(r"ahead of now, [^;\n]*", "ahead of now", result.stderr.replace(str(store), "STORE"))
    stdout = result.stdout.replace(str(store), "STORE")
    if "measured, in nanoseconds:" in stdout:
        stdout = re.sub(r" *\d[\d.e+-]*", " N", stdout)
    return result.exit_code, stdout, stderr


def test_changes_apply_from_the_next_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The documentation's example, with messages in between."""
    monkeypatch.chdir(tmp_path)
    Path("tick.xml").write_text(TICK)
    store = Path("subs.duckdb")
    run("subscribe", store, "--id", "s1", "/stock/price > 50")
    job = StreamingJob(store)
    try:
        for number, (command, printed) in enumerate(documented()):
            job.publish(f"m{number}", TICK)
            result = run(*shlex.split(command))
            assert result.output.replace(f"PID {job.process.pid}", "PID 4711") == printed
        assert {"delay, no max_delay (p50, p99)", "delay, max_delay 5 s (p50, p99)"} <= {
            line.split("\t")[0] for line in run("stats", store).stdout.splitlines()}
        assert job.notified() == {("m0", "s1"), ("m1", "s1"), ("m1", "s2"), ("m2", "s2"), ("m3", "s2")}
    finally:
        assert job.stop() == 0
    assert not job.socket.exists()
    assert "s2\t" in run("list", store).stdout


def documented() -> list[tuple[str, str]]:
    """The commands of the example, without the one that starts the job, and what they print."""
    example = STREAMING.read_text(encoding="utf-8").split("### While the job runs")[1].split("```")[1]
    _, *commands = example.removeprefix("console\n$ xpubsub ").split("$ xpubsub ")
    return [(command, printed) for command, _, printed in (each.partition("\n") for each in commands)]


def test_what_a_remote_broker_returns(job: StreamingJob) -> None:
    with xpubsub.connect(job.store) as broker:
        assert isinstance(broker, RemoteBroker) and isinstance(broker, xpubsub.Broker)
        added = broker.subscribe("w1", "/a < 'b'")
        assert isinstance(added, xpubsub.Subscribed) and added == 1 and len(added.warnings) == 1
        counted: list[int] = []
        table = pa.table({"id": ["w2", "w3"], "text": ["/a", "for $a in /a return $a"]})
        assert broker.subscribe_many(table, progress=counted.append) == 2 and counted == [2]
        shown = broker.show("w3")
        assert (shown.kind, shown.text, shown.namespaces) == ("transformation", "for $a in /a return $a", {})
        assert isinstance(shown.queries, tuple)
        assert broker.explain("w2", "<a/>").matches and not broker.explain("w2", "<b/>").matches
        assert "w2" in broker.list()["subscription_id"].to_pylist()
        assert sorted(broker.unsubscribe(["w1", "w2", "w3", "w4"])) == ["w1", "w2", "w3"]
    with pytest.raises(xpubsub.StoreError, match="is closed"):
        broker.list()


def test_errors_keep_their_fields(job: StreamingJob) -> None:
    with xpubsub.connect(job.store) as broker:
        with pytest.raises(xpubsub.RowErrors) as raised:
            broker.subscribe_many([("x1", "/a"), ("x2", "/a[")])
        assert [row["row_no"] for row in raised.value.rows] == [2] and raised.value.rows[0]["column"] == 4
        for wrong in ({"namespaces": {"p": 5}}, {"dialect": "latin"}, {"stream": 5}):
            with pytest.raises(xpubsub.Error):
                broker.subscribe_many([("x1", "/a")], **wrong)
        with pytest.raises(xpubsub.Error, match="there is no plan"):
            broker.explain_sql("nonsense")


def test_a_remote_broker_has_an_answer_for_every_method() -> None:
    """Those that it inherits are made of others: `subscribe_many`, `show` and `publish_frames`."""
    modules = xpubsub.Broker.__mro__[:-1]
    methods = {name: method for module in modules for name, method in vars(module).items() if not name.startswith("_")}
    assert set(methods) - set(vars(RemoteBroker)) == {"subscribe", "explain", "publish_frame"}
    refused = {"publish", "publish_frames", "publish_stream", "complete", "stream", "replay", "migrated"}
    for name in set(methods) & set(vars(RemoteBroker)) - refused:
        assert signature(methods[name]).parameters == signature(vars(RemoteBroker)[name]).parameters, name


@pytest.mark.parametrize("error", [
    xpubsub.QuerySyntaxError("wrong", code="c", text="/a[\n]", offset=4),
    xpubsub.UnsupportedError("wrong", code="c", text="/a", offset=1), xpubsub.LimitError("wrong", code="c"),
    xpubsub.SchemaError("wrong", code="c", text="x", offset=0), xpubsub.StoreError("no"), xpubsub.Error("no"),
    xpubsub.EngineError("no", step="s", sql="select"), xpubsub.EngineError("no"),
    xpubsub.RowErrors([{"row_no": 1, "subscription_id": "s", "reason": "r", "line": None}]),
], ids=lambda error: type(error).__name__)
def test_errors_travel(error: xpubsub.Error) -> None:
    arrived = unpacked_error(packed_error(error))
    assert type(arrived) is type(error) and str(arrived) == str(error) and vars(arrived) == vars(error)


def test_other_errors_travel_as_xpubsub_errors() -> None:
    assert type(unpacked_error(packed_error(LocatedError("wrong", code="c")))) is xpubsub.Error
    assert "KeyError: 'x'" in str(unpacked_error(packed_error(KeyError("x"))))


def test_a_job_is_not_published_to_by_others(job: StreamingJob, tmp_path: Path) -> None:
    (tmp_path / "m.xml").write_text(TICK)
    refused = run("publish", job.store, tmp_path / "m.xml")
    assert refused.exit_code == 2 and f"streaming job (PID {job.process.pid})" in refused.stderr
    with xpubsub.connect(job.store) as broker:
        for call in (lambda: broker.publish([]), lambda: broker.publish_frame(None), lambda: broker.stream("-", "-"),  # type: ignore[arg-type]
                     lambda: broker.replay("letters", "-"), lambda: broker.publish_stream("m.xml")):
            with pytest.raises(xpubsub.StoreError, match="open in a streaming job"):
                call()


def test_read_only_reads(job: StreamingJob) -> None:
    with xpubsub.connect(job.store, read_only=True) as broker:
        assert broker.list().num_rows
        for call in (lambda: broker.subscribe("r", "/a"), lambda: broker.unsubscribe("s1"), broker.gc):
            with pytest.raises(xpubsub.StoreError, match="read-only"):
                call()


def test_slots_cannot_be_chosen_for_a_store_in_use(job: StreamingJob) -> None:
    with pytest.raises(xpubsub.StoreError, match="another process"):
        xpubsub.connect(job.store, slots=3)


def test_several_clients_at_once(job: StreamingJob) -> None:
    def subscribe(client: int) -> None:
        with xpubsub.connect(job.store) as broker:
            for number in range(3):
                assert broker.subscribe(f"many-{client}-{number}", f"/a[b = {client}]/c > {number}") == 1

    clients = [threading.Thread(target=subscribe, args=(client,)) for client in range(3)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    with xpubsub.connect(job.store) as broker:
        ids = [each for each in broker.list()["subscription_id"].to_pylist() if each.startswith("many-")]
        assert len(ids) == 9 and set(broker.unsubscribe(ids)) == set(ids)


def test_a_large_call(job: StreamingJob) -> None:
    rows = [(f"large-{number}", f"/a[b = {number}]/c") for number in range(3000)]
    with xpubsub.connect(job.store) as broker:
        assert broker.subscribe_many(rows) == 3000
        assert len(broker.unsubscribe(each for each, _ in rows)) == 3000


def test_the_owner_alone_may_use_the_socket(job: StreamingJob) -> None:
    found = job.socket.lstat()
    assert stat.S_ISSOCK(found.st_mode) and stat.S_IMODE(found.st_mode) == 0o600 and found.st_uid == os.geteuid()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_another_user_is_refused(made: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        store = Path(shutil.copy(made, folder))
        os.chmod(store, 0o666)
        with served(store) as broker:
            os.seteuid(NOBODY)
            try:
                with pytest.raises(xpubsub.StoreError, match="open in a job of another user"):
                    broker.list()
            finally:
                os.seteuid(0)
            assert broker.list().num_rows == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_a_socket_of_another_user_is_not_trusted(store: Path) -> None:
    with served(store) as broker:
        os.chown(f"{store}.sock", NOBODY, NOBODY)
        with pytest.raises(xpubsub.StoreError, match="does not own the store"):
            broker.list()


def frame(header: bytes, body: bytes = b"", *, mark: bytes = b"XPS1", lengths: tuple[int, int] | None = None) -> bytes:
    return struct.pack(">4sQQ", mark, *(lengths or (len(header), len(body)))) + header + body


MALFORMED = {
    "empty": b"", "one byte": b"X", "another protocol": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3,
    "cut": frame(b'{"call": "list", "lengths": []}')[:-4],
    "no json": frame(b"nonsense"), "no object": frame(b"[1, 2]"), "no lengths": frame(b'{"call": "list"}'),
    "deep": frame(b"[" * 100_000), "no utf-8": frame(b"\xff\xfe"),
    "wrong lengths": frame(b'{"call": "list", "lengths": [5]}'),
    "negative lengths": frame(b'{"call": "list", "lengths": [5, -5]}'),
    "no arrow": frame(b'{"call": "unsubscribe", "lengths": [8]}', b"nonsense"),
    "no such call": Frame({"call": "__class__"}).packed(), "no call": Frame({}).packed(),
    "no table": Frame({"call": "unsubscribe"}).packed(),
    "other table": Frame({"call": "subscribe_many"}, (pa.table({"x": [1]}), pa.table({"x": [1]}))).packed(),
    "other arguments": Frame({"call": "show", "arguments": {"path": "/etc/passwd"}}).packed(),
    "arguments are no object": Frame({"call": "show", "arguments": [1]}).packed(),
    "other limits": Frame({"call": "list", "limits": {"x": 1}}).packed(),
    "too large": frame(b"", lengths=(10, REQUEST_BYTES)), "far too large": frame(b"", lengths=(2**63, 2**63)),
}


def asked(store: Path, request: bytes) -> Frame | None:
    """Send bytes, and nothing more; returns the answer."""
    connection = reach(str(store))
    assert connection is not None
    with connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return receive(connection)


@pytest.mark.parametrize("request_bytes", MALFORMED.values(), ids=MALFORMED)
def test_malformed_requests_are_answered_with_an_error(job: StreamingJob, request_bytes: bytes) -> None:
    given = asked(job.store, request_bytes)
    assert given is None if not request_bytes else given is not None and "error" in given.header
    assert run("list", job.store).exit_code == 0


def test_damaged_requests_do_not_end_the_job(job: StreamingJob) -> None:
    random = Random(15)
    rows = pa.table({"row_no": [1], "subscription_id": ["d"], "text": ["/a"]})
    right = Frame({"call": "subscribe_many", "arguments": {"stream": "S"}}, (rows, rows.slice(0, 0))).packed()
    for _ in range(40):
        wrong = bytearray(right)
        for _ in range(random.randint(1, 4)):
            wrong[random.randrange(20, len(wrong))] = random.randrange(256)
        asked(job.store, bytes(wrong))
    assert job.process.poll() is None and run("stats", job.store).exit_code == 0


def test_a_request_that_is_too_large_is_not_sent(job: StreamingJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpubsub.remote.REQUEST_BYTES", 1000)
    refused = run("subscribe", job.store, "--id", "s9", "/a" * 600)
    assert refused.exit_code == 2 and "too large" in refused.stderr


def test_silent_connections_do_not_keep_others_out(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.3)
    monkeypatch.setattr(server, "CONNECTIONS", 2)
    with served(store) as broker:
        silent = [reach(str(store)) for _ in range(5)]
        assert broker.list().num_rows == 2
        for each in silent:
            assert each is not None
            each.close()


def test_the_end_waits_for_calls_and_not_for_silent_connections(store: Path) -> None:
    with served(store):
        silent = reach(str(store))
        assert silent is not None
        waited(lambda: any(thread.name == "xpubsub-control-call" for thread in threading.enumerate()))
    with silent:
        assert silent.recv(1) == b""
    assert not any(thread.name.startswith("xpubsub-control") for thread in threading.enumerate())


def test_a_killed_job_leaves_a_socket_that_harms_nobody(store: Path) -> None:
    job = StreamingJob(store)
    with xpubsub.connect(store) as broker:
        job.kill()
        assert job.socket.exists()
        with pytest.raises(xpubsub.StoreError, match="has ended: connect again"):
            broker.subscribe("k", "/a")
    assert run("subscribe", store, "--id", "k", "/a").exit_code == 0
    again = StreamingJob(store)
    try:
        assert run("show", store, "k").exit_code == 0
    finally:
        assert again.stop() == 0
    assert not again.socket.exists()


def test_a_job_that_ends_during_a_call(store: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{store}.sock")
        listener.listen()
        threading.Thread(target=lambda: listener.accept()[0].close()).start()  # noqa: PLW0108
        with pytest.raises(xpubsub.StoreError, match=r"did not answer .* run the call again"):
            remote(store).list()


def test_a_path_too_long_for_a_socket(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    store = Path(shutil.copy(made, folder))
    with served(store) as broker:
        target = Path(os.readlink(f"{store}.sock"))
        assert stat.S_IMODE(target.parent.stat().st_mode) == 0o700 and stat.S_IMODE(target.stat().st_mode) == 0o600
        assert broker.list().num_rows == 2
    assert not target.parent.exists() and os.listdir(folder) == ["s.duckdb"]


def test_the_last_job_has_the_socket(store: Path) -> None:
    with xpubsub.connect(store) as broker:
        file, limited = broker.store.engine.held_file, broker._limited
        with server.serving(file, limited):
            with server.serving(file, limited):
                pass
            assert reach(str(store)) is None
        with server.serving(file, limited):
            first = os.stat(f"{store}.sock").st_ino
        assert first and not os.path.lexists(f"{store}.sock")


def test_a_command_without_a_socket(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: str) -> None:
        raise xpubsub.StoreError("no sockets here")

    monkeypatch.setattr(server, "ControlSocket", refuse)
    (tmp_path / "in").mkdir()
    command = "stream", store, "--source", f"dir:{tmp_path}/in", "--sink", f"dir:{tmp_path}/out", "--once"
    assert run(*command).exit_code == 2
    assert run(*command, "--no-control").exit_code == 0


@pytest.mark.parametrize("how", [{"control": False}, {}], ids=["switched off", "in memory"])
def test_no_socket(store: Path, tmp_path: Path, how: dict[str, bool]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "m.xml").write_text(TICK)
    looked: list[bool] = []

    class Sink:
        open: Callable[..., None] = staticmethod(lambda *_: None)
        last: Callable[..., int] = staticmethod(lambda: 0)
        close: Callable[..., None] = staticmethod(lambda: None)

        def deliver(self, *_: object) -> None:
            looked.append(any(each.suffix == ".sock" for each in tmp_path.iterdir()))

    with xpubsub.connect(store if how else ":memory:") as broker:
        broker.stream(f"dir:{tmp_path}/in", Sink(), checkpoint=tmp_path / "kept", once=True, **how)
    assert looked == [False]
