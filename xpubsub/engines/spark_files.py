"""The directory of a Spark store: whole versions of its tables, of which the newest complete one counts.

A version is complete once its marker is there. Garbage collection writes a new version beside the old one and marks
it last, so that a crash leaves the old one in force.
"""

from __future__ import annotations

from typing import Any

_MARKER = "_COMPLETE"


class StoreDirectory:
    """Versions of a store below one path, through Hadoop's file system: local, HDFS or an object store."""

    def __init__(self, jvm: Any, configuration: Any, path: str) -> None:
        self._path = jvm.org.apache.hadoop.fs.Path(path)
        self._new_path = jvm.org.apache.hadoop.fs.Path
        self._files = self._path.getFileSystem(configuration)
        self._path = self._files.makeQualified(self._path)

    @property
    def uri(self) -> str:
        """The path with its scheme."""
        return str(self._path.toString())

    def version(self) -> int:
        """The newest complete version; 0 if there is none."""
        return max((version for version in self._versions() if self._files.exists(self._marker(version))), default=0)

    def location(self, version: int) -> str:
        """Where the tables of a version are."""
        return f"{self.uri}/v{version}"

    def complete(self, version: int) -> None:
        """Mark a version complete: from now on it counts."""
        self._files.mkdirs(self._new_path(self.location(version)))
        self._files.create(self._marker(version), True).close()

    def discard(self, version: int) -> None:
        """Remove what a crash may have left of a version that never was completed, or one that no longer counts."""
        self._files.delete(self._new_path(self.location(version)), True)

    def _marker(self, version: int) -> Any:
        return self._new_path(f"{self.location(version)}/{_MARKER}")

    def _versions(self) -> list[int]:
        if not self._files.exists(self._path):
            return []
        names = [str(status.getPath().getName()) for status in self._files.listStatus(self._path)]
        return [int(name[1:]) for name in names if name[:1] == "v" and name[1:].isdigit()]
