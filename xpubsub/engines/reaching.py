"""Reaches the file system of a store: local, HDFS, S3 or another that pyarrow knows; says why if it cannot."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pyarrow as pa
from pyarrow import fs

from xpubsub.errors import StoreError

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://?", re.IGNORECASE)
_S3_SCHEMES = ("s3", "s3a", "s3n")
_S3_SETTINGS = {"fs.s3a.access.key": "access_key", "fs.s3a.secret.key": "secret_key",
                "fs.s3a.session.token": "session_token", "fs.s3a.endpoint.region": "region"}
"""Hadoop's settings for S3, which a Spark session may have, and pyarrow's names for them."""
_REMEDIES = {
    "hdfs": "pyarrow reaches HDFS through libhdfs: set JAVA_HOME, HADOOP_HOME and CLASSPATH=`hadoop classpath --glob`",
    **dict.fromkeys(_S3_SCHEMES, "credentials come from fs.s3a.* of the Spark session or from the AWS settings of the"
                                 " machine"),
}
_MOST_SECONDS = 20
_HINT = "is the address right, is the service up, and may this user use it?"


def file_system(place: str, settings: Mapping[str, str]) -> tuple[fs.FileSystem, str]:
    """Return the file system of a place and the path in it; `settings` are those of Hadoop, without `spark.hadoop.`."""
    match = _SCHEME.match(place)
    scheme = match[1].lower() if match else "file"
    if match is None or scheme == "file":
        return fs.LocalFileSystem(), os.path.abspath(place.removeprefix("file:").replace("//", "/"))
    if scheme in _S3_SCHEMES:
        return _s3(settings), place[match.end():].rstrip("/")
    try:
        files, path = fs.FileSystem.from_uri(_bounded(place, scheme))
    except pa.ArrowInvalid as error:
        raise StoreError(f"the store {place} cannot be reached: there is no file system for {scheme}://; use a"
                         " directory, hdfs://, s3a://, gs:// or abfs://") from error
    return files, path.rstrip("/")


def _bounded(place: str, scheme: str) -> str:
    """Bound how long pyarrow tries to reach Google Cloud Storage: by itself it tries for a quarter of an hour."""
    if scheme not in ("gs", "gcs") or "retry_limit_seconds=" in place:
        return place
    return f"{place}{'&' if '?' in place else '?'}retry_limit_seconds={_MOST_SECONDS}"


def _s3(settings: Mapping[str, str]) -> fs.S3FileSystem:
    given = {name: settings[key] for key, name in _S3_SETTINGS.items() if settings.get(key)}
    endpoint = settings.get("fs.s3a.endpoint") or os.environ.get("AWS_ENDPOINT_URL", "")
    scheme, _, host = endpoint.rpartition("://")
    return fs.S3FileSystem(
        **given, endpoint_override=host or None, scheme=scheme or "https", connect_timeout=10, request_timeout=60,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=3))


@contextmanager
def reached(place: str) -> Iterator[None]:
    """Raise errors of the file system as `StoreError`, with what to do."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        scheme = place.partition("://")[0] if "://" in place else ""
        said = str(error).strip().partition("\n")[0][:300]
        remedy = f"; {_REMEDIES[scheme]}" if scheme in _REMEDIES else ""
        raise StoreError(f"the store {place} cannot be reached: {said} ({_HINT}{remedy})") from error
