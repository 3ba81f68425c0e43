"""Options of `format("deltaresolver")`: those of DataFrameReader and Writer, and what `ds.read` takes as arguments."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import attrs

from deltaresolver.errors import ReadOptionInvalidError

_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:")
STORAGE_PREFIX = "storage."
WHERE, COLUMNS = "fileswhere", "columns"
PARTITION_BY, SAVE_MODE = "partitionby", "savemode"
_SESSION_OF_WORKER = "SPARK_JOB_ARTIFACT_UUID"
"""Where Spark tells a process of Python whose session it works for: `default` on classic, an id on Connect."""
_OF_SPARK = ("path", "checkpointlocation", "queryname", "outputmode", "truncate")


@attrs.frozen(slots=True)
class SourceOptions:
    """The options of one read or write, sorted by whom they concern."""

    path: str
    storage: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    others: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    """What the parsers of the DataFrame API and the data source read."""
    where: str | None = None
    """By which files are chosen; rows are not."""
    columns: tuple[str, ...] | None = None
    partition_by: tuple[str, ...] = ()
    save_mode: str | None = None
    checkpoint: str | None = None


def parse_source_options(options: Mapping[str, str]) -> SourceOptions:
    """Sort the options; names are case-insensitive.

    Raises `ReadOptionInvalidError` without a path, and on Spark Connect for a relative one.
    """
    lowered = {key.lower(): str(value) for key, value in options.items()}
    path = lowered.get("path")
    if not path:
        raise ReadOptionInvalidError(
            'format("deltaresolver") needs the path of a table, and none is given.',
            fix="Give it to load, save or start, or as the option path; one in the catalog is for ds.read, ds.sql and "
            "ds.save_as_table.",
            delta_condition="DELTA_PATH_MISSING",
        )
    _ensure_found_again(path)
    ours = {WHERE, COLUMNS, PARTITION_BY, SAVE_MODE, *_OF_SPARK}
    return SourceOptions(
        path=path,
        storage={key[len(STORAGE_PREFIX) :]: value for key, value in lowered.items() if _is_storage(key)},
        others={key: str(value) for key, value in options.items() if key.lower() not in ours and not _is_storage(key)},
        where=lowered.get(WHERE),
        columns=_names(lowered.get(COLUMNS)),
        partition_by=_names(lowered.get(PARTITION_BY)) or (),
        save_mode=lowered.get(SAVE_MODE),
        checkpoint=lowered.get("checkpointlocation"),
    )


def _ensure_found_again(path: str) -> None:
    """On Connect the server works in a folder of the session, which it deletes in the end: a table there is lost."""
    is_on_connect = os.environ.get(_SESSION_OF_WORKER, "default") != "default"
    if is_on_connect and not Path(path).is_absolute() and not _SCHEME.match(path):
        raise ReadOptionInvalidError(
            f"{path!r} is a relative path, and a server of Spark Connect has no folder that it could be relative to.",
            fix="Give the whole path, such as /lake/orders, or an address such as s3://bucket/orders.",
            details={"path": path},
        )


def _is_storage(key: str) -> bool:
    return key.lower().startswith(STORAGE_PREFIX)


def _names(text: str | None) -> tuple[str, ...] | None:
    """Column names from a JSON list or from text with commas."""
    if text is None:
        return None
    if text.lstrip().startswith("["):
        try:
            return tuple(str(name) for name in json.loads(text))
        except ValueError:
            raise ReadOptionInvalidError(
                f"{text!r} is not a list of columns.",
                fix='Separate the names by commas, or write a JSON list such as ["a", "b"].',
                details={"found": text},
            ) from None
    return tuple(name.strip().strip("`") for name in text.split(",") if name.strip())
