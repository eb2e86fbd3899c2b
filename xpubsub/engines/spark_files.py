"""The directory of a Spark store: it has versions of all tables, of which the newest complete one is in use.

A version is complete once it has its marker file. Garbage collection writes a new version beside the old one and the
marker last, so that a crash leaves the old version in use.
"""

from __future__ import annotations

import re
from typing import Any

from xpubsub.errors import StoreError

_MARKER = "_COMPLETE"
_NO_CONNECTOR = re.compile(r"Class \S+ not found|ClassNotFoundException|No FileSystem for scheme")
_JAVA = re.compile(r"(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error): ")
"""The class name in front of a Java error message."""
_CONNECTORS = {"s3a": "org.apache.hadoop:hadoop-aws", "gs": "com.google.cloud.bigdataoss:gcs-connector",
               "abfss": "org.apache.hadoop:hadoop-azure", "abfs": "org.apache.hadoop:hadoop-azure"}


class StoreDirectory:
    """The versions of a store in a directory, through Hadoop's file system: local, HDFS or an object store."""

    def __init__(self, jvm: Any, configuration: Any, path: str) -> None:
        self._path = jvm.org.apache.hadoop.fs.Path(path)
        self._new_path = jvm.org.apache.hadoop.fs.Path
        self._files = self._path.getFileSystem(configuration)
        self._path = self._files.makeQualified(self._path)

    @property
    def uri(self) -> str:
        """The path of the directory, with its scheme."""
        return str(self._path.toString())

    def exists(self) -> bool:
        """Whether anything is at the path."""
        return bool(self._files.exists(self._path))

    def is_empty(self) -> bool:
        """Whether the directory is empty but for hidden files and incomplete versions."""
        if self.exists() and not self._files.getFileStatus(self._path).isDirectory():
            return False
        return all(name[0] in "._" or _version(name) is not None for name in self._names())

    def version(self) -> int:
        """Return the newest complete version; 0 if there is none."""
        return max((version for version in self._versions() if self._files.exists(self._marker(version))), default=0)

    def location(self, version: int) -> str:
        """Return the directory of a version's tables."""
        return f"{self.uri}/v{version}"

    def complete(self, version: int) -> None:
        """Mark a version complete, which puts it in use."""
        self._files.mkdirs(self._new_path(self.location(version)))
        self._files.create(self._marker(version), True).close()

    def discard(self, version: int) -> None:
        """Delete a version that a crash left incomplete, or that is no longer in use."""
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
    """Return the version of a directory name, or None."""
    return int(name[1:]) if name[:1] == "v" and name[1:].isdigit() else None


def unreachable(place: str, reason: str) -> StoreError:
    """Return the error for a store whose files cannot be reached, with what to do."""
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
