"""Opens the sources and sinks that a text names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from xpubsub.errors import Error
from xpubsub.jobs.stream.byte_source import ByteSource, LineServer, StandardInput
from xpubsub.jobs.stream.directory_sink import JSON_LINES, PARQUET, DirectorySink
from xpubsub.jobs.stream.directory_source import DirectorySource
from xpubsub.jobs.stream.disposing import disposing
from xpubsub.jobs.stream.kafka_sink import KafkaSink
from xpubsub.jobs.stream.kafka_source import KafkaSource
from xpubsub.jobs.stream.plain_sinks import FunctionSink, StandardOutput
from xpubsub.jobs.stream.published_files import DisposedFiles, PublishedFiles, RecentFiles
from xpubsub.jobs.stream.readers import ByteReader, LineReader, UnitReader
from xpubsub.jobs.stream.sinks import Sink
from xpubsub.jobs.stream.source_options import SourceOptions
from xpubsub.jobs.stream.sources import Source
from xpubsub.jobs.stream.subscriber_sink import SubscriberSink
from xpubsub.jobs.stream.unit_directory_source import UnitDirectorySource

FORMATS = (PARQUET, JSON_LINES)


def open_source(given: Any, options: SourceOptions, session: Any = None) -> Source:
    """Return the source that a text names; any other value is a source already.

    With a Spark session, a source that Spark can read in batches gives frames.
    """
    if (options.done or options.max_file_age) and not (isinstance(given, str) and given.startswith("dir:")):
        raise Error("done and max_file_age are for files: the source must be dir:PATH")
    if session is not None and (frames := _frames(given, options, session)) is not None:
        return frames
    if not isinstance(given, str):
        source: Source = _checked(given, "a source", ("seek", "poll", "committed", "backlog", "close"))
        return source
    scheme, rest = _scheme(given)
    if scheme not in _SOURCES or bool(rest) == (scheme == "-"):
        raise Error(f"unknown source {given!r}: write dir:PATH, - for standard input, tcp:HOST:PORT, or"
                    " kafka:SERVERS/TOPIC")
    return _SOURCES[scheme](rest, options)


def _frames(given: Any, options: SourceOptions, session: Any) -> Source | None:
    from xpubsub.jobs.stream.spark_reading import spark_source

    return spark_source(session, given, options)


def open_sink(given: Any, kind: str = PARQUET) -> Sink:
    """Return the sink that a text names; a function becomes a sink that calls it; any other value is a sink already."""
    if kind not in FORMATS:
        raise Error(f"unknown format {kind!r}: use one of {', '.join(FORMATS)}")
    if not isinstance(given, str) and callable(given):
        return FunctionSink(given)
    if not isinstance(given, str):
        sink: Sink = _checked(given, "a sink", ("open", "last", "deliver", "close"))
        return sink
    scheme, rest = _scheme(given)
    if scheme not in _SINKS or bool(rest) == (scheme == "-"):
        raise Error(f"unknown sink {given!r}: write dir:PATH, each:PATH, - for standard output, or"
                    " kafka:SERVERS/TOPIC")
    return _SINKS[scheme](rest, kind)


def _scheme(text: str) -> tuple[str, str]:
    scheme, colon, rest = text.partition(":")
    return (scheme, rest) if colon else (text, "")


def _checked(given: Any, what: str, methods: tuple[str, ...]) -> Any:
    missing = [name for name in methods if not callable(getattr(given, name, None))]
    if missing:
        raise Error(f"{what} must be text such as 'dir:PATH' or have the methods {', '.join(methods)}, not"
                    f" {type(given).__name__}")
    return given


def _directory_source(path: str, options: SourceOptions) -> Source:
    how: dict[str, Any] = {
        "max_bytes": options.max_bytes, "file_times": options.file_times, "published": _published(path, options)}
    if options.cutters is None:
        return DirectorySource(path, **how)
    return UnitDirectorySource(path, **how, cutters=options.cutters)


def _published(path: str, options: SourceOptions) -> PublishedFiles | None:
    """Return what decides which files are read; None if it is their names alone."""
    if options.done is not None and Path(path).is_dir():
        return DisposedFiles(Path(path), disposing(options.done, Path(path)))
    return None if options.max_file_age is None else RecentFiles(options.max_file_age)


def _standard_input(_: str, options: SourceOptions) -> Source:
    return ByteSource(StandardInput(), _reader(options), resume=options.resume)


def _line_server(address: str, options: SourceOptions) -> Source:
    return ByteSource(LineServer(address), _reader(options, repeated=options.resume), resume=options.resume)


def _reader(options: SourceOptions, *, repeated: bool = False) -> ByteReader:
    if options.cutters is None:
        return LineReader(options.max_bytes, repeated=repeated)
    if options.resume:
        raise Error("units of standard input or a connection cannot be resumed: use --split or --resume, not both")
    return UnitReader(options.cutters)


def _kafka_source(address: str, options: SourceOptions) -> Source:
    if options.cutters is not None:
        raise Error(f"kafka:{address}: records are not split: each is a message")
    return KafkaSource(address, max_bytes=options.max_bytes)


_SOURCES: dict[str, Callable[[str, SourceOptions], Source]] = {
    "dir": _directory_source, "-": _standard_input, "tcp": _line_server, "kafka": _kafka_source,
}
_SINKS: dict[str, Callable[[str, str], Sink]] = {
    "dir": DirectorySink, "each": lambda path, _: SubscriberSink(path), "-": lambda *_: StandardOutput(),
    "kafka": lambda address, _: KafkaSink(address),
}
