"""Frames that outlive the pipeline that built them, and what they are built on."""

from __future__ import annotations

import weakref
from collections import deque
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession


@dataclass(eq=False)
class _Ground:
    """Views and kept frames that other frames are built on."""

    views: list[str]
    kept: list[DataFrame]

    def release(self, session: SparkSession) -> None:
        for view in self.views:
            session.catalog.dropTempView(view)
        for frame in self.kept:
            frame.unpersist()


@dataclass
class FrameGrounds:
    """What was left to frames in users' hands: released once none of them is there any more.

    Dropping a view uncaches what it shows, so the views stay as long. A frame may vanish in the middle of any call, so
    that is only noted then.
    """

    session: SparkSession
    _left: dict[int, _Ground] = field(default_factory=dict)
    _vanished: deque[int] = field(default_factory=deque)

    def leave(self, views: list[str], kept: list[DataFrame], frames: tuple[DataFrame, ...]) -> None:
        """Leave views and kept frames to some frames."""
        ground = _Ground(views, kept)
        handle = _Handle()
        self._left[id(ground)] = ground
        weakref.finalize(handle, self._vanished.append, id(ground)).atexit = False
        for frame in frames:
            vars(frame)["_xpubsub_ground"] = handle

    def release_vanished(self) -> None:
        """Release what was left to frames that are gone."""
        while self._vanished:
            self._left.pop(self._vanished.popleft()).release(self.session)

    def release_all(self) -> None:
        """Release everything."""
        while self._left:
            self._left.popitem()[1].release(self.session)
        self._vanished.clear()


class _Handle:
    """Lives as long as one of the frames that hold it."""
