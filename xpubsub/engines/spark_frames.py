"""Keeps the views and cached frames that a user's frames are built on, until those frames are gone."""

from __future__ import annotations

import weakref
from collections import deque
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession


@dataclass(eq=False)
class _Ground:
    """Views and cached frames that other frames are built on."""

    views: list[str]
    kept: list[DataFrame]

    def release(self, session: SparkSession) -> None:
        for view in self.views:
            session.catalog.dropTempView(view)
        for frame in self.kept:
            frame.unpersist()


@dataclass
class FrameGrounds:
    """Views and cached frames behind the frames that users hold; released once the users' frames are gone.

    The views stay as well, because dropping a view uncaches its frame. A frame may be garbage-collected during any
    call, so that is only noted, and its views are released later.
    """

    session: SparkSession
    _left: dict[int, _Ground] = field(default_factory=dict)
    _vanished: deque[int] = field(default_factory=deque)

    def leave(self, views: list[str], kept: list[DataFrame], frames: tuple[DataFrame, ...]) -> None:
        """Keep views and cached frames for as long as some frame of `frames` lives."""
        ground = _Ground(views, kept)
        handle = _Handle()
        self._left[id(ground)] = ground
        weakref.finalize(handle, self._vanished.append, id(ground)).atexit = False
        for frame in frames:
            vars(frame)["_xpubsub_ground"] = handle

    def release_vanished(self) -> None:
        """Release the views and cached frames of frames that are gone."""
        while self._vanished:
            self._left.pop(self._vanished.popleft()).release(self.session)

    def release_all(self) -> None:
        """Release everything."""
        while self._left:
            self._left.popitem()[1].release(self.session)
        self._vanished.clear()


class _Handle:
    """An object that lives as long as any frame that refers to it."""
