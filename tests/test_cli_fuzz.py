"""Random commands over random files, pipes and kills: no exit code that docs/cli.md does not explain, no traceback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import duckdb
import pytest
from click.testing import CliRunner

import xpubsub
from tests.test_exits import interruptible
from xpubsub.cli.program import program

DOCS = (Path(__file__).parent.parent / "docs" / "cli.md").read_text(encoding="utf-8")
EXPLAINED = {int(code) for code in re.findall(r"^\| (\d+) \|", DOCS, re.MULTILINE)}
TEXTS = (
    "/a", "//b > 5", "not(//c)", "//a[", "count(//a) > 2", "for $x in //a return $x", "for $x in //a return <b>{$x/c}</b>",
    "S//a AS $x [./b AS $y] FOLLOWED BY { $y = $z, 5s } S//b AS $w [./c AS $z]", "S//a JOIN", "", " ", "@t.xq", "p:a", "//a[@d >= 'x']",
    "'; drop table subscription; --", "\N{PILE OF POO}", "a" * 300, "/a[b='\"']", "x\x00y", "//a | //b",
)
FILES: dict[str, bytes] = {
    "good.xml": b"<a><b>7</b><c>x</c></a>", "bad.xml": b"<a><b>", "empty.xml": b"", "latin.xml": b"<a>\xff</a>", "bomb.xml":
    b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "two.xml": b"<a/><b/>", "lines.txt": b"<a/>\n\n<b>1</b>\n<c",
    "rows.csv": b"id,text\ns1,/a\ns2,//b\n", "header.csv": b"name,rule\ns1,/a\n", "broken.csv": b'id,text\n"s1,/a\n', "bytes.csv": b"id,text\n\xff,/a\n",
    "rows.jsonl": b'{"id": "j1", "text": "/a", "namespaces": {"p": "urn:x"}}\n', "numbers.jsonl": b'{"id": 5, "text": "/a"}\n', "text.jsonl": b"hello\n",
    "rows.tsv": b"t1\t//a\n", "fake.parquet": b"PAR1", "rows.parquet": b"", "note.txt": b"Dear reader", "book.dtd": b"<!ELEMENT a (b*)><!ELEMENT b (#PCDATA)>",
    "bad.dtd": b"<!ELEMENT", "fake.duckdb": b"not a database at all, but long enough to be looked at " * 30, "zero.duckdb": b"",
}
IDS = ("s1", "s2", "j1", "nobody", "", "\N{SNOWMAN}")
Draw = Callable[[Random], list[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store, files of all kinds, somebody else's database, an empty directory, a dangling link."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "inbox" / "deep").mkdir(parents=True)
    (tmp_path / "inbox" / "m.xml").write_bytes(FILES["good.xml"])
    (tmp_path / "inbox" / "deep" / "bad.xml").write_bytes(FILES["bad.xml"])
    (tmp_path / "inbox" / "gone.xml").symlink_to("nowhere.xml")
    (tmp_path / "hollow").mkdir()
    with duckdb.connect(str(tmp_path / "theirs.duckdb")) as connection:
        connection.execute("create table cash (amount integer)")
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        broker.subscribe_many([("s1", "/a"), ("s2", TEXTS[7])])
    return tmp_path


def store(random: Random) -> str:
    return random.choice(["s.duckdb"] * 6 + ["theirs.duckdb", "fake.duckdb", "zero.duckdb", "new.duckdb", "hollow", "no/such/store", "", "note.txt"])


def file(random: Random) -> str:
    return random.choice([*FILES, "inbox", "hollow", "nosuch.xml", "*.xml", "nosuch*.xml", "-", ""])


def options(random: Random, *known: tuple[str, ...]) -> list[str]:
    return [word for option in known if random.random() < 0.25 for word in option]


def time_of(random: Random) -> str:
    return random.choice(["0", "1e12", "2024-01-01T00:00:00", "noon", "nan", "-5", ""])


def output(random: Random) -> str:
    return random.choice(["out.csv", "out.parquet", "out.jsonl", "out.xyz", "hollow", "no/such/dir.csv", "-"])


COMMANDS: dict[str, Draw] = {
    "init": lambda r: [store(r), *options(r, ("--slots", r.choice(["3", "0", "x"])), ("--print-sql",))],
    "subscribe": lambda r: [store(r), *(["--id", r.choice(IDS), r.choice(TEXTS)] if r.random() < 0.6 else ["--from", file(r)]), *options(
        r, ("--dialect", r.choice(["branching", "sql"])), ("--namespace", r.choice(["p=urn:x", "p", "=urn:y"])), ("--stream", r.choice(["S", "T", ""])),
        ("--no-header",), ("--columns", r.choice(["id=name,text=rule", "id", "x=y"])), ("--max-expression", r.choice(["2", "0"])))],
    "unsubscribe": lambda r: [store(r), *r.choices(IDS, k=r.randrange(3))],
    "publish": lambda r: [store(r), *(file(r) for _ in range(r.randrange(4))), *options(
        r, ("--output", output(r)), ("--rejects", output(r)), ("--plan", r.choice(["share", "fast", "fwr,share", "unroll,share"])), ("--timings",),
        ("--file-times",), ("--replace",), ("--lateness", r.choice(["0", "inf", "x"])), ("--max-bytes", "5"), ("--batch-size", "1"))],
    "explain": lambda r: [store(r), r.choice(IDS), *(file(r) for _ in range(r.randrange(1, 3))), *options(
        r, ("--sql",), ("--stream", "T"), ("--time", time_of(r)), ("--file-times",), ("--plan", "bucket"))],
    "list": lambda r: [store(r), *options(r, ("--output", output(r)))],
    "show": lambda r: [store(r), r.choice(IDS)],
    "stats": lambda r: [store(r)],
    "clock": lambda r: [store(r), *options(r, ("--stream", r.choice(["S", "T", ""])), ("--set", time_of(r)))],
    "schema": lambda r: [store(r), *options(r, (file(r),), ("--name", "n"), ("--remove",))],
    "gc": lambda r: [store(r)],
}


@pytest.mark.parametrize("seed", range(6))
def test_random_commands_end_as_documented(folder: Path, seed: int) -> None:
    random = Random(seed)
    for _ in range(40):
        name = random.choice(list(COMMANDS))
        command = [name, *COMMANDS[name](random)]
        done = CliRunner().invoke(program, command, input=random.choice([None, "<a/>\n", "<a", "\x00"]), prog_name="xpubsub")
        assert done.exception is None or isinstance(done.exception, SystemExit), (command, repr(done.exception))
        assert done.exit_code in EXPLAINED and done.exit_code < 128, (command, done.exit_code)
        said = done.stderr
        assert "Traceback" not in said and "object at 0x" not in said and "duckdb.duckdb" not in said, (command, said)
        if done.exit_code == 2:
            assert said.startswith(("Error: ", "Usage: ", "warning: ", "note: ", "rejected ")) and len(said) > 15, (command, said)
    assert tables(folder / "theirs.duckdb") == ["cash"], "somebody else's database is left as it is"
    with xpubsub.connect(folder / "s.duckdb") as broker:
        json.dumps(broker.stats())


def tables(path: Path) -> list[str]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return [name for [name] in connection.execute("select table_name from duckdb_tables()").fetchall()]


@pytest.mark.parametrize("seed", range(8))
def test_random_commands_that_are_killed_leave_a_whole_store(folder: Path, seed: int) -> None:
    random = Random(seed)
    rows = "".join(f"k{n},//a[b = {n}]\n" for n in range(3000))
    (folder / "many.csv").write_text("id,text\n" + rows)
    command = random.choice([
        ["subscribe", "s.duckdb", "--from", "many.csv"], ["publish", "s.duckdb", "inbox", "good.xml"], ["gc", "s.duckdb"], ["unsubscribe", "s.duckdb", "s1"],
    ])
    how = random.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    process = subprocess.Popen(
        [sys.executable, "-m", "xpubsub", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        preexec_fn=interruptible)  # noqa: PLW1509
    time.sleep(random.uniform(0.2, 2.5))
    process.send_signal(how)
    said = process.communicate()[1]
    assert process.returncode in {0, 1, 130, -how}, (command, how, process.returncode, said)
    assert "Traceback" not in said or (how == signal.SIGINT and "xpubsub/" not in said), (command, how, said)
    with xpubsub.connect(folder / "s.duckdb") as broker:
        added = sum(name.startswith("k") for name in broker.list()["subscription_id"].to_pylist())
        assert added in (0, 3000), "a call is there in part"
        assert broker.publish([("m", "<a><b>5</b></a>")]).rejected.num_rows == 0
