"""The streaming job: takes messages from a source in batches, publishes each batch, and delivers its results.

Exactly once: one transaction of the store publishes a batch and records its number and the position of the source. Its
results are in the outbox before the transaction ends, and are delivered after it, by the batch's number. So a crash at
any moment loses nothing and repeats nothing:

- before the commit, the batch was not published: its outbox file is discarded, and the source gives it again;
- between commit and delivery, the outbox file is delivered at the next start;
- during or after the delivery, it is delivered again, and the sink recognises its number.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from xpubsub.jobs.stream.delays import Delays
from xpubsub.jobs.stream.figures import Figures
from xpubsub.jobs.stream.gathering import gathered
from xpubsub.jobs.stream.journal import journal_table, journaled
from xpubsub.jobs.stream.messages import Polled
from xpubsub.jobs.stream.relieved import RelievedBatches


class StreamJob(RelievedBatches):
    """One run of a job, from where the last run ended."""

    def run(self, tell: Callable[[Figures], None] = lambda _: None) -> None:
        """Run until the source ends, or until `stop` is set: then the batch under way is finished.

        `tell` is called after each batch and, while there are no messages, now and then.
        """
        self._start()
        while not self._stop.is_set():
            if not self._relieved():
                polled = gathered(self._source, self._options, self._pace, self._stop.is_set)
                if polled is not None:
                    self._carry_out(polled)
                elif self._is_over():
                    break
            self.figures.backlog = self._source.backlog()
            tell(self.figures)
        self._empty_buffer()
        self._forget()
        if self.figures.batches:
            self._calls.run(self._record_figures)

    def _is_over(self) -> bool:
        """Whether there is nothing more to do: the source has no more messages, and none are to be completed."""
        drained = self._source.ended or (self._options.once and self._source.drained)
        return drained and not self._waits()

    def _empty_buffer(self) -> None:
        """Publish what was read ahead, if the source could not give it again."""
        if self._relief is not None and not self._source.SEEKABLE:
            self._relief.ahead.stop()
            while (polled := gathered(self._source, self._options, self._pace, self._stop.is_set)) is not None:
                self._carry_out(polled)

    def _start(self) -> None:
        """Go on after the last committed batch: deliver what is not delivered, and let the source seek."""
        items = self._calls.run(self._known)
        self._before = self._last
        self.figures.delays = Delays(self._last.figures.get("delays"))
        self._deliveries.open(self._commits.job, self._last.number)
        self._aside.start(self._last.figures.get("aside"), self._last.number)
        while self._aside.waits and self._relief is None:
            self._publish_aside()
        self._calls.run(self._look_at_spills)
        for number in self._checkpoint.journal.numbers():
            if number > self._last.number:
                self._carry_out(journaled(self._checkpoint.journal.read(number)[0]))
            self._checkpoint.journal.remove(number)
        self._source.seek(self._last.position, items)
        self._release(items)

    def _carry_out(self, polled: Polled) -> None:
        """Publish a batch and deliver its results; or set it aside."""
        started, number = time.perf_counter(), self._last.number + 1
        if self._relief is not None and self._relief.sets_aside and self._set_aside(number, polled):
            return
        if not self._source.SEEKABLE:
            self._checkpoint.journal.write(number, [journal_table(polled)])
        delivery, accepted = self._relieved_batch(number, polled)
        self._checkpoint.journal.remove(number)
        self._source.committed(polled.position)
        self._release(polled.items)
        self._deliveries.deliver(number, delivery)
        seconds = time.perf_counter() - started
        self._pace.learn(len(polled.messages), seconds)
        self._account(polled, delivery, accepted, seconds)
