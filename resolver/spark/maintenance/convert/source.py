"""What is to be converted: the folder that an identifier such as parquet.`/lake/events` names, and its files."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import ConversionError, ConversionSourceError
from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.spark.file_systems import spark_location
from deltaresolver.spark.reading.file_location import FileLocation
from deltaresolver.transaction.vacuum.contents import list_contents

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_IDENTIFIER = re.compile(
    r"(?:(?P<quote>`?)(?P<provider>\w+)(?P=quote)\s*\.\s*)?`(?P<path>(?:[^`]|``)+)`|(?P<name>[^`]+)"
)
STREAM_LOG = "_spark_metadata"
"""Where a streaming query that writes Parquet notes which files are whole."""
DELTA, PARQUET, ICEBERG = "delta", "parquet", "iceberg"


@attrs.frozen(slots=True)
class SourceName:
    """A provider and a path."""

    provider: str
    path: str


def source_named(identifier: str) -> SourceName:
    """The source that an identifier names. Raises `ConversionSourceError` for other than Parquet and Delta by path."""
    found = _IDENTIFIER.fullmatch(identifier.strip())
    if found is None or found["name"] is not None:
        raise ConversionSourceError(
            "CONVERT TO DELTA only supports parquet tables. Please rewrite your target as parquet.`<path>` if it's a "
            f"parquet directory, found {identifier}.",
            fix="Give parquet.`path` with the path of the folder.",
            details={"identifier": identifier},
            delta_condition="DELTA_MISSING_PROVIDER_FOR_CONVERT",
        )
    path = found["path"].replace("``", "`")
    provider = (found["provider"] or "").lower()
    if provider not in (PARQUET, DELTA):
        raise _not_parquet(provider or "unnamed", identifier)
    return SourceName(provider, path)


def ensure_plain_parquet(store: LogStore) -> None:
    """Raises `ConversionSourceError` for a folder that another table format keeps its files in.

    Its Parquet files hold rows that were deleted or replaced: only its own metadata has which ones count.
    """
    for file in store.list_from("metadata/"):
        if file.path.endswith(".metadata.json") or file.path == "metadata/version-hint.text":
            raise _not_parquet(ICEBERG, store.location)
    if next(store.list_from(".hoodie/"), None) is not None:
        raise _not_parquet("hudi", store.location)


def data_files(spark: SparkSession, store: LogStore) -> list[StoredFile]:
    """The data files below the folder of `store`, in order of path.

    Where a streaming query wrote them, those that its log names. Raises `ConversionError` for a folder without
    files, for links, behind which files would be overlooked, and for folders that are Delta tables themselves.
    """
    contents = list_contents(store, _is_hidden)
    for what, found in (("links", contents.links), ("Delta tables of their own", contents.other_tables)):
        if found:
            raise ConversionError(
                f"{store.location} cannot be converted: it holds {what}, {', '.join(found[:5])}.",
                fix="Move them out of the folder, or put the files themselves there.",
                details={"location": store.location, "found": list(found[:20])},
            )
    files = sorted((file for file in contents.files if not _is_hidden_file(file.path)), key=lambda each: each.path)
    if next(store.list_from(f"{STREAM_LOG}/"), None) is not None:
        files = _noted_by_stream(spark, store, files)
    if files:
        return files
    raise ConversionError(
        f"No file found in the directory: {store.location}.",
        fix="Check the path; folders and files whose names begin with _ or . are not looked at.",
        details={"location": store.location},
        delta_condition="DELTA_EMPTY_DIRECTORY",
    )


def _not_parquet(provider: str, identifier: str) -> ConversionSourceError:
    return ConversionSourceError(
        f"CONVERT TO DELTA only supports parquet tables, but you are trying to convert a {provider} source: "
        f"{identifier}",
        fix="Read its rows with its own reader and write them with ds.write into a new table.",
        details={"identifier": identifier, "provider": provider},
        delta_condition="DELTA_CONVERT_NON_PARQUET_TABLE",
    )


def _is_hidden(name: str) -> bool:
    """Whether a folder of this name is none of the data; one of a partition is, whatever its column is called."""
    return name.startswith(("_", ".")) and ("=" not in name or name == LOG_FOLDER)


def _is_hidden_file(path: str) -> bool:
    return path.rpartition("/")[2].startswith(("_", "."))


def _noted_by_stream(spark: SparkSession, store: LogStore, files: Sequence[StoredFile]) -> list[StoredFile]:
    """The files of those that Spark reads, which follows the stream's own log: others are half written."""
    is_local = isinstance(store, LocalStore)
    location = f"file:{store.location}" if is_local else spark_location(store.location)
    root = (store.location if is_local else urllib.parse.urlsplit(location).path).rstrip("/") + "/"
    names = spark.read.parquet(FileLocation(location).spark_path).inputFiles()
    noted = {urllib.parse.unquote(urllib.parse.urlsplit(name).path).removeprefix(root) for name in names}
    missing = sorted(noted - {file.path for file in files})
    if missing:
        raise ConversionError(
            f"The streaming query that wrote {store.location} has noted {len(missing):,} files that are not there, "
            f"{missing[0]} for one.",
            fix=f"Restore the files, or delete the folder {STREAM_LOG} to convert those that are there.",
            details={"location": store.location, "missing": missing[:20]},
        )
    return [file for file in files if file.path in noted]
