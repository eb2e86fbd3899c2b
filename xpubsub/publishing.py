"""The calls of a broker that publish messages: a batch, a document of any length, a DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from xpubsub.checks import check_count, check_function, check_iterable, check_namespaces, check_progress, check_text
from xpubsub.errors import Error
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.split.automatic import automatic_units
from xpubsub.jobs.split.publishing import Document
from xpubsub.jobs.split.sources import check_source, chunks_of, source_name
from xpubsub.language.xpath.split import spilled_path, split_path
from xpubsub.open_store import DEFAULT_STREAM, OpenStore, stream_and_plan
from xpubsub.shred.open_units import OpenUnit
from xpubsub.shred.units import UnitCutter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class PublishingCalls(OpenStore):
    """Publishes messages."""

    def publish(
        self, messages: Iterable[Any], *, stream: str = DEFAULT_STREAM, plan: str = "auto",
        progress: Callable[[int], None] | None = None, replace: bool = True,
        spill: Iterable[str] | None = None, namespaces: Mapping[str, str] | None = None,
    ) -> Result:
        """Match a batch of messages with all subscriptions; return the notifications and the rejected messages.

        - `messages`: an iterable of (id, xml) or (id, xml, timestamp) tuples; the XML is str or bytes. Correlations use
          the timestamp, a number of seconds or a datetime; by default it is the time of arrival.
        - `stream`: the stream that the messages belong to. Only subscriptions that read it are matched.
        - `plan`: `"auto"`, or names of plans separated by commas. The plan never changes the results.
        - `progress`: a function, called with 1 for each message read.
        - `replace`: whether a message replaces one with the same id that is kept for correlations from an earlier batch
          of the stream. If False, both are kept, as two messages.
        - `spill`: paths of elements, such as `/order/note`, that are not read now but kept on disk until `complete()`.
          Notifications then have a column `part`: `whole`, or `reduced` for an output with holes.
        - `namespaces`: URIs by prefix, for the names in `spill`.
        """
        given = check_iterable("messages", messages, "an iterable of (id, xml) tuples")
        batch = Batch(given, *stream_and_plan(stream, plan), replace=bool(replace), progress=check_progress(progress),
                      spill=self._spilled_paths(spill, namespaces))
        return self._publish(batch)

    def complete(self, limit: int | None = None, *, deliver: Callable[[Result], None] | None = None) -> Result:
        """Complete spilled messages, the oldest first; return what was missing.

        The notifications have a column `part`: `filler` for what belongs into a hole of an earlier output, `whole` for
        what could not be decided before. `xpubsub.spill.merge` puts fillers into their outputs.

        - `limit`: about how many messages to complete; by default all. Messages of one batch are completed together.
        - `deliver`: a function, called with the result before the messages count as completed. If it raises, or the
          process ends meanwhile, the next call gives the same again.
        """
        most = None if limit is None else check_count("limit", limit)
        beside = check_function("deliver", deliver)
        with self._changing():
            return self._publisher.complete(most, beside)

    def _spilled_paths(
        self, spill: Iterable[str] | None, namespaces: Mapping[str, str] | None
    ) -> tuple[str, ...] | None:
        """Return the linear paths to spill."""
        if spill is None:
            if namespaces:
                raise Error("namespaces are for the names in spill")
            return None
        paths = check_iterable("spill", spill, "an iterable of paths")
        prefixes = check_namespaces(namespaces)
        return tuple(spilled_path(check_text("a path to spill", path), prefixes, self.limits) for path in paths)

    def publish_stream(
        self, source: Any, split: str | None = None, name: str | None = None, *, stream: str = DEFAULT_STREAM,
        plan: str = "auto", namespaces: Mapping[str, str] | None = None, replace: bool = True,
        batch_size: int = 10_000, progress: Callable[[int], None] | None = None, tokens: bool = False,
    ) -> Iterator[Result]:
        """Publish a document of any length unit by unit while it is read; yield a result for each batch of units.

        - `source`: a path, an open file, a socket, or an iterable of chunks (bytes or str).
        - `split`: the path of the units, such as `/feed/entry` or `//person`: each outermost element that it selects is
          a message with the id `name#n`, n counting from 1. By default the subscriptions of the stream imply the units:
          paths are then those of the whole document, and a subscription that one unit and the start tags around it
          cannot answer is an error.
        - `name`: the name of the document; by default the path of its file, or a unique name.
        - `namespaces`: URIs by prefix, for the names in `split`.
        - `stream`, `plan`, `replace`: as in `publish`.
        - `batch_size`: how many units are matched together at most.
        - `progress`: a function, called with the number of units read since its last call.
        - `tokens`: whether to count tokens, for `tokens_buffered` of the results.

        Complete units are published when the source has nothing more to read, or after some megabytes. If the document
        breaks off or is malformed, the units before are published, and the last row of `rejected` says why and where.
        """
        check_source(source)
        batch = Batch((), *stream_and_plan(stream, plan), replace=bool(replace))
        paths = self._units(split, check_namespaces(namespaces), stream)
        called = source_name(source) if name is None else check_text("the name of a document", name)
        most = check_count("batch_size", batch_size)
        cutter = UnitCutter(paths, self.limits, enveloped=split is None, count_tokens=tokens)
        target, unit = _Target(self._publish, self._certain, batch), OpenUnit(cutter, self.limits)
        ahead = self._publisher.ON_SPARK
        document = Document(called, cutter, target, unit, most, check_progress(progress), ahead)
        return document.results(chunks_of(source))

    def _units(self, split: str | None, namespaces: Mapping[str, str], stream: str) -> list[str]:
        """Return the linear paths at which to cut a document."""
        if split is not None:
            return [split_path(check_text("split", split), namespaces, self.limits)]
        if namespaces:
            raise Error("namespaces are for the names in split")
        with self._exclusive():
            return automatic_units(self.store, stream, self.limits)

    def _publish(self, batch: Batch) -> Result:
        """Match a batch of messages, as `publish` does."""
        with self._changing():
            return self._publisher.publish(batch)

    def _certain(self, message_id: str, unit: OpenUnit, batch: Batch) -> Result | None:
        """Return what is certain of a message that has been read in part; None if nothing has changed."""
        with self._changing():
            return self._publisher.certain(message_id, unit, batch)

    def publish_frame(
        self, messages: DataFrame, *, stream: str = DEFAULT_STREAM, plan: str = "auto", keep: Iterable[str] = (),
    ) -> DataFrame:
        """Match a Spark DataFrame of messages; return a lazy, distributed DataFrame of notifications.

        - `messages`: a DataFrame with the columns `id` and `xml`, and optionally `timestamp`; batch or streaming.
        - `stream`, `plan`: as in `publish`.
        - `keep`: columns of `messages` to add to the result.

        The columns are `message_id`, `subscription_id` and `output` (all strings), and the kept ones. If correlations
        read the stream, the messages are matched and kept at once; a streaming DataFrame is then an error.
        """
        return self.publish_frames(messages, stream=stream, plan=plan, keep=keep)[0]

    def publish_frames(
        self, messages: DataFrame, *, stream: str = DEFAULT_STREAM, plan: str = "auto", keep: Iterable[str] = (),
        failed: bool = False,
    ) -> tuple[DataFrame, ...]:
        """Like `publish_frame`, but return two DataFrames: the notifications and the rejected messages.

        The columns of rejected messages are `message_id`, `code`, `reason`, `line`, `column`, and the kept ones.

        - `failed`: whether to return a third DataFrame: the subscriptions whose query raised an error in a message, as
          `message_id`, `subscription_id`, `code`, `reason`, and the kept columns.
        """
        batch = Batch((), *stream_and_plan(stream, plan))
        given = [keep] if isinstance(keep, str) else check_iterable("keep", keep, "an iterable of column names")
        kept = [check_text("a column to keep", each) for each in given]
        with self._exclusive():
            frames = self._publisher.frames(messages, batch, kept)
        return frames if failed else frames[:2]


class _Target(NamedTuple):
    """Publishes the units of a document."""

    publish_batch: Callable[[Batch], Result]
    match_open: Callable[[str, OpenUnit, Batch], Result | None]
    batch: Batch

    def publish(self, messages: list[tuple[str, bytes]]) -> Result:
        """Publish complete units as messages."""
        return self.publish_batch(replace(self.batch, messages=messages))

    def certain(self, message_id: str, unit: OpenUnit) -> Result | None:
        """Return what is certain of the open unit."""
        return self.match_open(message_id, unit, self.batch)
