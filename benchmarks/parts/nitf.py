"""NITF: the documents and path queries that ship with YFilter 1.0 (Diao 2003), beside lxml."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from benchmarks.baselines import lxml_loop
from benchmarks.checking import check_sample
from benchmarks.measuring import warm
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.stores import stored

ARCHIVE = "nitf-yfilter.tar.gz"
QUERIES = {"distinct": "queries-153928-distinct.txt", "drawn": "queries-500000.txt", "mixed": "queries-mixed.txt"}


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    with tarfile.open(options.folder(ARCHIVE) / ARCHIVE) as archive:
        messages = [(f"m{number}", xml) for number, xml in enumerate(_documents(archive))]
        texts = {kind: _lines(archive, name)[: options.sizes.nitf_subscriptions] for kind, name in QUERIES.items()}
    messages = messages[: options.sizes.nitf_documents]
    for kind, queries in texts.items():
        yield _matching(kind, queries, messages, options.runs)


def _matching(kind: str, queries: list[str], messages: list[tuple[str, str]], runs: int) -> Row:
    ids = [f"s{number}" for number in range(len(queries))]
    with stored(pa.table({"id": ids, "text": queries})) as (broker, seconds):
        measured = warm(lambda: broker.publish(messages), runs)
    result, loop = measured.value, lxml_loop.measure(messages, queries)
    check_sample(result.notifications, loop.matches, loop.messages, loop.subscriptions, f"nitf, {kind}")
    sizes = {"subscriptions": len(queries), "messages": len(messages),
             "notifications": result.notifications.num_rows, "subscribed in s": round(seconds, 1)}
    whole = loop.scaled(len(messages), len(queries))
    return Row("nitf", f"{kind}, per document", 1000 * measured.median / len(messages), "ms", sizes=sizes,
               baseline="lxml loop, scaled", baseline_figure=1000 * whole / len(messages), faster=True,
               timings=result.timings)


def _documents(archive: tarfile.TarFile) -> Iterator[str]:
    for name in sorted(archive.getnames()):
        if Path(name).suffix == ".xml":
            yield _text(archive, name)


def _lines(archive: tarfile.TarFile, name: str) -> list[str]:
    [member] = [each for each in archive.getnames() if Path(each).name == name]
    return [line for line in _text(archive, member).splitlines() if line.strip()]


def _text(archive: tarfile.TarFile, name: str) -> str:
    file = archive.extractfile(name)
    assert file is not None
    return file.read().decode()
