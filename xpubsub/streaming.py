"""The calls of a broker that run a streaming job: messages as they come, and dead letters again."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from contextlib import closing
from copy import copy
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from xpubsub.checks import check_function, check_namespaces, check_text
from xpubsub.errors import Error
from xpubsub.jobs.control.calls import Callee
from xpubsub.jobs.control.server import serving
from xpubsub.jobs.overload.choosing import Chooser
from xpubsub.jobs.overload.settings import Overload, check_overload
from xpubsub.jobs.overload.transformations import StoredTransformations
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.publisher import Beside
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.split.automatic import IMPLIED, automatic_units, units_of_job
from xpubsub.jobs.stream.batches import BrokerCalls, JobParts
from xpubsub.jobs.stream.checkpoint import Checkpoint
from xpubsub.jobs.stream.disposing import DELETE
from xpubsub.jobs.stream.figures import Figures
from xpubsub.jobs.stream.letter_source import LetterSource, letter_streams
from xpubsub.jobs.stream.loop import StreamJob
from xpubsub.jobs.stream.metrics import serving_metrics
from xpubsub.jobs.stream.opening import open_sink, open_source
from xpubsub.jobs.stream.options import MAX_BATCH_BYTES, MAX_MESSAGES, StreamOptions
from xpubsub.jobs.stream.read_ahead import ReadAhead
from xpubsub.jobs.stream.relief import Relief
from xpubsub.jobs.stream.source_options import SourceOptions
from xpubsub.jobs.stream.sources import Source
from xpubsub.language.durations import seconds_of
from xpubsub.language.xpath.split import split_path
from xpubsub.open_store import DEFAULT_STREAM, OpenStore, stream_and_plan
from xpubsub.shred.units import UnitCutter

_T = TypeVar("_T")


def _done(done: str | os.PathLike[str] | None, dead_letters: Any) -> str | None:
    """Return what to do with published files; rejected messages must not be deleted unless they are kept elsewhere."""
    if done == DELETE and dead_letters is None:
        raise Error("with done='delete' the files of rejected messages are deleted, too: name a sink for dead letters,"
                    " or a directory for published files")
    return None if done is None else os.fspath(done)


class StreamingCalls(OpenStore):
    """Runs streaming jobs."""

    def stream(
        self, source: Any, sink: Any, *, checkpoint: str | os.PathLike[str] | None = None, dead_letters: Any = None,
        format: str = "parquet", stream: str = DEFAULT_STREAM, plan: str = "auto", split: str | None = None,
        namespaces: Mapping[str, str] | None = None, file_times: bool = False,
        max_messages: int = MAX_MESSAGES, max_batch_bytes: int = MAX_BATCH_BYTES, once: bool = False,
        stop: Event | None = None, metrics: int | None = None, progress: Callable[[Figures], None] | None = None,
        control: bool = True, resume: bool = False, overload: Overload | None = None,
        done: str | os.PathLike[str] | None = None, max_file_age: str | None = None,
    ) -> Figures:
        """Publish the messages of a source as they come, and deliver the results; each exactly once, after crashes too.

        - `source`: `"dir:PATH"`, `"-"` for standard input, `"tcp:HOST:PORT"`, `"kafka:SERVERS/TOPIC"`, or an object
          with the methods of `xpubsub.jobs.stream.sources.Source`.
        - `sink`: where notifications go: `"dir:PATH"`, `"each:PATH"`, `"-"` for standard output,
          `"kafka:SERVERS/TOPIC"`, a function that is called with each batch (`number`, `rows`), or an object with the
          methods of `xpubsub.jobs.stream.sinks.Sink`.
        - `checkpoint`: the directory in which the job keeps results that are not delivered. A job that is started again
          with the same checkpoint goes on where it ended. By default it is beside the store: `STORE.stream`.
        - `dead_letters`: a sink for rejected messages.
        - `format`: `"parquet"` or `"jsonl"`, for directories.
        - `stream`, `plan`: as in `publish`.
        - `split`, `namespaces`: the path of units, as in `publish_stream`: each unit of a file, of standard input or of
          a connection is a message. With `"auto"` the subscriptions at the start of the job imply the units. By default
          each file, or each line, is a message.
        - `file_times`: whether the modification time of a file is the time of its message.
        - `max_messages`, `max_batch_bytes`: the most messages of a batch, and the bytes from which on it is full.
        - `once`: whether to return when the source has no more messages; otherwise the job waits for more.
        - `resume`: whether standard input, or the server of a connection, begins with its first line again when the
          job is started again, and at each connection: lines that were published before are then left out.
        - `stop`: an event that ends the job after the batch under way.
        - `metrics`: a port on which to serve figures to Prometheus, at http://127.0.0.1:PORT/metrics.
        - `progress`: a function, called with the figures after each batch and now and then.
        - `control`: whether other processes of the user can reach a DuckDB store while the job runs, by the socket
          `STORE.sock`. They use `xpubsub.connect()` and the commands as always.
        - `overload`: what to do when messages come faster than they can be processed, an `xpubsub.Overload`; by default
          what `connect` was given, and otherwise the source waits. If it names a policy that chooses paths,
          notifications have the column `part`.
        - `done`: what to do with published files of a directory: `"delete"` deletes them, a directory gets them. The
          job then keeps only the names of files that are still there; by default it keeps all names.
        - `max_file_age`: a duration such as `"7d"`. Files that were modified so much earlier than the newest one
          published are not read, and their names are not kept.

        Returns the figures of the run: messages, notifications, rejected, batches, seconds, delays.

        Other threads and processes may call the broker between batches; subscriptions they change apply from the next
        batch.
        """
        options = StreamOptions(*stream_and_plan(stream, plan), max_messages, max_batch_bytes, bool(once))
        relieving = check_overload(self.overload if overload is None else overload, options.request)
        place = Path(checkpoint if checkpoint is not None else f"{self.store.engine.place}.stream")
        cutters = None if split is None else self._cutters(split, namespaces, options.stream, place)
        how = SourceOptions(
            self.limits.max_bytes, bool(file_times), cutters, max_messages, bool(once), bool(resume),
            _done(done, dead_letters), None if max_file_age is None else seconds_of(max_file_age), place)
        session = self._publisher.session() if relieving is None else None
        reading, relief = self._read_ahead(open_source(source, how, session), relieving, options)
        with closing(reading), serving(self.store.engine.held_file if control else None, self._limited):
            letters = None if dead_letters is None else open_sink(dead_letters, format)
            parts = JobParts(reading, open_sink(sink, format), letters, relief)
            return self._streamed(parts, place, options, stop, metrics, check_function("progress", progress))

    def replay(
        self, letters: str | os.PathLike[str], sink: Any, *, checkpoint: str | os.PathLike[str] | None = None,
        format: str = "parquet", plan: str = "auto", stop: Event | None = None,
    ) -> Figures:
        """Publish the dead letters of a directory again, each once: a letter that was published is left out later.

        - `letters`: the directory, as `stream(..., dead_letters="dir:PATH")` has filled it.
        - `sink`, `format`, `plan`, `stop`: as in `stream`.
        - `checkpoint`: as in `stream`, by default `_replay` in the directory.

        Letters that are rejected again can be replayed again. Returns the figures of the run.
        """
        place, figures = Path(letters if checkpoint is None else checkpoint), Figures()
        for stream in letter_streams(letters):
            options = StreamOptions(*stream_and_plan(stream, plan), once=True, keep_rejected=True)
            parts = JobParts(LetterSource(letters, stream), open_sink(sink, format))
            figures.join(self._streamed(parts, place / "_replay" if checkpoint is None else place, options, stop))
        return figures

    def _streamed(
        self, parts: JobParts, checkpoint: Path, options: StreamOptions, stop: Event | None,
        metrics: int | None = None, progress: Callable[[Figures], None] | None = None,
    ) -> Figures:
        """Run a streaming job."""
        calls = BrokerCalls(self._publish_beside, self._complete_beside, self._called)
        with closing(Checkpoint(checkpoint)) as kept:
            job = StreamJob(self.store, calls, parts, kept, options, stop or Event())
            with closing(job), serving_metrics(metrics, job.figures):
                job.run(progress or (lambda _: None))
        return job.figures

    def _read_ahead(
        self, source: Source, overload: Overload | None, options: StreamOptions
    ) -> tuple[Source, Relief | None]:
        """Read a source ahead of the job if it may be overloaded."""
        if overload is None:
            return source, None
        ahead = ReadAhead(source, overload.messages, overload.buffer, min(options.max_messages, overload.messages))
        transformations = StoredTransformations(self.store, self.limits, options.stream)
        return ahead, Relief(overload, ahead, Chooser(overload, transformations))

    def _limited(self, limits: Mapping[str, Any]) -> Callee:
        """Return this broker with other limits."""
        other: Any = copy(self)
        other.limits = dataclasses.replace(self.limits, **limits)
        callee: Callee = other
        return callee

    def _publish_beside(self, batch: Batch, beside: Beside) -> Result:
        with self._changing():
            return self._publisher.publish(batch, beside)

    def _complete_beside(self, limit: int, beside: Beside, owner: str) -> Result:
        with self._changing():
            return self._publisher.complete(limit, beside, owner)

    def _called(self, function: Callable[[], _T]) -> _T:
        with self._changing():
            return function()

    def _cutters(
        self, split: str, namespaces: Mapping[str, str] | None, stream: str, checkpoint: Path
    ) -> Callable[[], UnitCutter]:
        """Return a function that makes a cutter for each document of a streaming job."""
        if split == IMPLIED:
            if namespaces:
                raise Error("namespaces are for the names in split")
            with self._exclusive():
                paths = units_of_job(checkpoint, automatic_units(self.store, stream, self.limits))
            return lambda: UnitCutter(paths, self.limits, enveloped=True)
        path = split_path(check_text("split", split), check_namespaces(namespaces), self.limits)
        return lambda: UnitCutter([path], self.limits)
