"""Messages inside archives, compressed files and tables; ids and times that stand in messages."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.test_cli import TICK, run

PAIR = "S//a AS $x [@k AS $k] FOLLOWED BY { $k = $l, 10s } S//b AS $y [@k AS $l]"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "subs.duckdb"
    assert run("subscribe", path, "--id", "s1", "//price > 50").exit_code == 0
    return path


def published(store: Path, *arguments: object) -> tuple[list[str], list[dict[str, str]], int]:
    """Return the ids that were notified, the rejected rows and the exit code."""
    out, bad = store.parent / "out.csv", store.parent / "bad.csv"
    result = run("publish", store, *arguments, "--output", out, "--rejects", bad)
    assert result.exit_code in (0, 1), result.stderr
    with out.open(newline="") as found, bad.open(newline="") as refused:
        return [row["message_id"] for row in csv.DictReader(found)], list(csv.DictReader(refused)), result.exit_code


def zipped(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def tarred(path: Path, members: dict[str, str], mode: str) -> Path:
    with tarfile.open(path, mode) as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return path


MEMBERS = {"high.xml": TICK.format(60), "deep/low.xml": TICK.format(40), "deep/top.xml": TICK.format(70), "note.txt": "-"}


def test_archives(store: Path, tmp_path: Path) -> None:
    archives = [zipped(tmp_path / "a.zip", MEMBERS), tarred(tmp_path / "b.tar", MEMBERS, "w"),
                tarred(tmp_path / "c.tar.gz", MEMBERS, "w:gz"), tarred(tmp_path / "d.tgz", MEMBERS, "w:gz"),
                tarred(tmp_path / "e.tar.xz", MEMBERS, "w:xz")]
    found, refused, code = published(store, *archives)
    assert found == sorted(f"{archive}/{name}" for archive in archives for name in ("deep/top.xml", "high.xml"))
    assert (refused, code) == ([], 0)


@pytest.mark.parametrize(("ending", "compress"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_compressed_files(store: Path, tmp_path: Path, ending: str, compress: object) -> None:
    one, many = tmp_path / f"m.xml.{ending}", tmp_path / f"m.jsonl.{ending}"
    one.write_bytes(compress(TICK.format(60).encode()))  # type: ignore[operator]
    many.write_bytes(compress(json.dumps({"xml": TICK.format(60)}).encode()))  # type: ignore[operator]
    assert published(store, one, many)[0] == sorted([str(one), f"{many}#1"])


def test_damaged_archives_are_rejected_and_the_others_published(store: Path, tmp_path: Path) -> None:
    for name in ("a.zip", "b.tar", "c.tar.gz", "d.xml.gz", "e.parquet"):
        (tmp_path / name).write_bytes(b"no archive" * 100)
    cut = gzip.compress(TICK.format(60).encode() * 50)[:-20]
    (tmp_path / "f.xml.gz").write_bytes(cut)
    good = zipped(tmp_path / "z.zip", MEMBERS)
    found, refused, code = published(store, *sorted(tmp_path.iterdir()))
    assert found == [f"{good}/deep/top.xml", f"{good}/high.xml"] and code == 1
    assert [(Path(row["message_id"]).name, row["code"]) for row in refused] == [
        (name, "unreadable") for name in ("a.zip", "b.tar", "c.tar.gz", "d.xml.gz", "e.parquet", "f.xml.gz")]


def test_a_bomb_is_read_to_the_limit_only(store: Path, tmp_path: Path) -> None:
    big = "<a>" + "x" * 5_000_000 + "</a>"
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.xml", big)
        archive.writestr("high.xml", TICK.format(60))
    found, refused, _ = published(store, path, "--max-bytes", 1000)
    assert found == [f"{path}/high.xml"]
    assert [(row["message_id"], row["code"]) for row in refused] == [(f"{path}/big.xml", "limit-bytes")]


def test_links_in_an_archive_are_not_followed(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        link = tarfile.TarInfo("passwd.xml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert published(store, path) == ([], [], 0)


def table_files(folder: Path, columns: dict[str, list[object]]) -> list[Path]:
    """Write the same rows as .jsonl, .csv, .tsv and .parquet."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for ending, delimiter in (("csv", ","), ("tsv", "\t")):
        with (folder / f"t.{ending}").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(columns), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
    pq.write_table(pa.table(columns), folder / "t.parquet")
    return sorted(folder.iterdir())


@pytest.mark.parametrize(("names", "options"), [
    (("id", "xml"), []), (("message_id", "body"), []), (("key", "payload"), ["--columns", "id=key,xml=payload"]),
])
def test_tables_of_messages(store: Path, tmp_path: Path, names: tuple[str, str], options: list[str]) -> None:
    columns: dict[str, list[object]] = {
        names[0]: ["m1", "m2", "m3"], names[1]: [TICK.format(60), TICK.format(40), "<a>"], "other": [1, 2, 3]}
    for file in table_files(tmp_path, columns):
        found, refused, _ = published(store, file, *options)
        assert found == ["m1"], file
        assert [(row["message_id"], row["code"]) for row in refused] == [("m3", "not-well-formed")]


def test_rows_without_ids_are_numbered_and_bad_rows_are_rejected(store: Path, tmp_path: Path) -> None:
    lines = tmp_path / "t.jsonl"
    good = json.dumps({"xml": TICK.format(60)})
    lines.write_text(f'{good}\n[1]\n{{"id": "x"}}\nnot json\n\n{{"xml": 5}}\n{good}\n')
    found, refused, _ = published(store, lines)
    assert found == [f"{lines}#1", f"{lines}#6"]
    assert [(row["message_id"], row["code"]) for row in refused] == [
        (f"{lines}#2", "unreadable"), (f"{lines}#3", "unreadable"), (f"{lines}#4", "unreadable"), (f"{lines}#5", "not-text")]


def test_a_table_without_a_column_of_messages_ends_the_command(store: Path, tmp_path: Path) -> None:
    for file in table_files(tmp_path, {"id": ["m1"], "payload": ["<a/>"]})[:1]:
        result = run("publish", store, file)
        assert result.exit_code == 2 and "no column xml or message or body" in result.stderr
        assert "the columns are id, payload" in result.stderr and "--columns xml=NAME" in result.stderr
    assert run("publish", store, tmp_path / "t.csv", "--columns", "xml=nothing").exit_code == 2
    assert run("publish", store, tmp_path / "t.csv", "--columns", "text=payload").exit_code == 2


def test_times_of_a_table(store: Path, tmp_path: Path) -> None:
    own = tmp_path / "pairs.duckdb"
    assert run("subscribe", own, "--id", "c1", PAIR).exit_code == 0
    rows: dict[str, list[object]] = {
        "id": ["m1", "m2", "m3"], "xml": ["<a k='1'/>", "<b k='1'/>", "<b k='1'/>"], "time": ["100", "1970-01-01T00:01:45Z", "111"]}
    for file in table_files(tmp_path / "x", rows) if (tmp_path / "x").mkdir() is None else []:
        own.unlink()
        assert run("subscribe", own, "--id", "c1", PAIR).exit_code == 0
        assert published(own, file)[0] == ["m2"], file


def test_the_id_and_the_time_from_the_message(store: Path, tmp_path: Path) -> None:
    own = tmp_path / "pairs.duckdb"
    assert run("subscribe", own, "--id", "c1", PAIR).exit_code == 0
    texts = ["<a k='1'><p:id xmlns:p='urn:p'> one </p:id><at>1970-01-01T00:00:10</at></a>",
             "<b k='1'><p:id xmlns:p='urn:p'>two</p:id><at>15</at></b>", "<b k='1'><at>16</at></b>",
             "<b k='1'><p:id xmlns:p='urn:p'>four</p:id><at>noon</at></b>", "<b k='1'>"]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.xml").write_text(text)
    found, refused, _ = published(
        own, *sorted(tmp_path.glob("*.xml")), "--id-path", "//p:id", "--time-path", "//at", "--namespace", "p=urn:p")
    assert found == ["two"]
    assert sorted((Path(row["message_id"]).name, row["code"]) for row in refused) == [
        ("2.xml", "no-id"), ("4.xml", "not-well-formed"), ("four", "no-time")]


@pytest.mark.parametrize("options", [
    ["--id-path", "//a["], ["--id-path", "//p:a"], ["--id-path", "//a", "--namespace", "=urn:p"],
    ["--columns", "id=a,id=b"], ["--id-path", "//a", "--split", "/a"], ["--columns", "id=a", "--split", "/a"],
])
def test_wrong_options(store: Path, tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "m.xml").write_text("<a/>")
    result = run("publish", store, tmp_path / "m.xml", *options)
    assert result.exit_code == 2 and "Traceback" not in result.output and "Error" in result.stderr


def test_a_declared_encoding_of_a_text_does_not_matter(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(json.dumps({"xml": "<?xml version='1.0' encoding='latin-1'?><a><n>ä</n><price>60</price></a>"}))
    assert published(store, file, "--id-path", "//n")[0] == ["ä"]
