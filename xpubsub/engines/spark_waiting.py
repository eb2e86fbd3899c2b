"""Results of steps that Spark has been told of, but has not computed yet."""

from __future__ import annotations

from collections.abc import Collection

from pyspark.sql import DataFrame

from xpubsub.step import Step


class Waiting:
    """The frames of such steps, by name; one that several others read is computed once."""

    def __init__(self) -> None:
        self.frames: dict[str, DataFrame] = {}
        self.spread: set[str] = set()
        """The names of those that stay in Spark."""
        self._fetched: set[str] = set()
        self._reads: dict[str, int] = {}

    def add(self, step: Step, frame: DataFrame) -> None:
        """Add the frame of a step."""
        self.drop(step.name)
        self.frames[step.name] = frame
        if step.spread:
            self.spread.add(step.name)
        elif step.narrows or step.reused:
            self._fetched.add(step.name)

    def note_read(self, name: str) -> None:
        """Note that another frame reads a frame; at the second time it is worth to be kept in memory."""
        if name in self.frames:
            self._reads[name] = self._reads.get(name, 0) + 1
            if self._reads[name] == 1 + (name not in self._fetched):
                self.frames[name].persist()

    def taken(self, names: Collection[str]) -> dict[str, DataFrame]:
        """Return the frames of some names, and all others that later steps read where they are fetched to."""
        return {name: frame for name, frame in self.frames.items() if name in names or name in self._fetched}

    def drop(self, *names: str) -> None:
        """Forget frames, and free their memory."""
        for name in names:
            if name in self.frames:
                frame = self.frames.pop(name)
                self._fetched.discard(name)
                self.spread.discard(name)
                if self._reads.pop(name, 0):
                    frame.unpersist()
