"""The directory of a Spark store: whole versions of its tables, of which the newest complete one counts.

A version is complete once its marker is there. Garbage collection writes a new version beside the old one and marks
it last, so that a crash leaves the old one in force.
"""

from __future__ import annotations

import re
from typing import Any

from xpubsub.errors import StoreError

_MARKER = "_COMPLETE"
_NO_CONNECTOR = re.compile(r"Class \S+ not found|ClassNotFoundException|No FileSystem for scheme")
_JAVA = re.compile(r"(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error): ")
"""How Java names an error before it says what it is."""
_CONNECTORS = {"s3a": "org.apache.hadoop:hadoop-aws", "gs": "com.google.cloud.bigdataoss:gcs-connector",
               "abfss": "org.apache.hadoop:hadoop-azure", "abfs": "org.apache.hadoop:hadoop-azure"}


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

    def exists(self) -> bool:
        """Whether there is anything at the path."""
        return bool(self._files.exists(self._path))

    def is_empty(self) -> bool:
        """Whether there is nothing in the directory but what is hidden, and versions that were never completed."""
        if self.exists() and not self._files.getFileStatus(self._path).isDirectory():
            return False
        return all(name[0] in "._" or _version(name) is not None for name in self._names())

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
        return [version for name in self._names() if (version := _version(name)) is not None]

    def _names(self) -> list[str]:
        if not self.exists():
            return []
        return [str(status.getPath().getName()) for status in self._files.listStatus(self._path)]


def _version(name: str) -> int | None:
    """The number of a version's directory."""
    return int(name[1:]) if name[:1] == "v" and name[1:].isdigit() else None


def unreachable(place: str, reason: str) -> StoreError:
    """Why the files of a store cannot be reached, and what to do."""
    scheme = place.partition("://")[0]
    if _NO_CONNECTOR.search(reason):
        package = _CONNECTORS.get(scheme)
        hint = f"; for {scheme}:// add {package}:VERSION" if package else ""
        return StoreError(f"the store {place} cannot be reached: this Spark has no connector for {scheme}://"
                          f" (spark.jars or spark.jars.packages names it{hint})")
    said = next((line for line in reason.splitlines() if _JAVA.search(line)), reason.strip().partition("\n")[0])
    said = _JAVA.sub("", said).strip(": ")[:300]
    return StoreError(f"the store {place} cannot be reached: {said} (is the address right, is the service up, and may"
                      " this user use it?)")
