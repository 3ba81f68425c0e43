"""Paths that name a version or a moment themselves: `path@v3`, `path@20260101000000000`."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from deltaresolver.errors import ReadOptionInvalidError
from deltaresolver.spark.session import find_setting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BY_PATH = "spark.databricks.delta.timeTravel.resolveOnIdentifier.enabled"
_VERSION = re.compile(r"(.+)@[vV](\d{1,18})", re.DOTALL)
_MOMENT = re.compile(r"(.+)@(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})", re.DOTALL)


def split_travel(
    path: str | os.PathLike[str], spark: SparkSession
) -> tuple[str | os.PathLike[str], int | None, str | None]:
    """The path, and the version or moment behind it. A folder that has such a name is meant itself."""
    text = os.fspath(path)
    if not isinstance(text, str) or "@" not in text or os.path.exists(text):  # noqa: PTH110 - it stays text
        return path, None, None
    if (find_setting(spark, BY_PATH) or "true").lower() == "false":
        return path, None, None
    found = _VERSION.fullmatch(text)
    if found is not None:
        return found[1], int(found[2]), None
    found = _MOMENT.fullmatch(text)
    if found is None:
        return path, None, None
    day, clock = "-".join(found.group(2, 3, 4)), ":".join(found.group(5, 6, 7))
    return found[1], None, f"{day} {clock}.{found[8]}"


def ensure_said_once(path: str | os.PathLike[str], *, is_asked: bool) -> None:
    """Raises `ReadOptionInvalidError` where an option asks for a version too."""
    if is_asked:
        raise ReadOptionInvalidError(
            f"{os.fspath(path)} names a version, and an argument or option asks for one too.",
            fix="Leave one of them out.",
            details={"path": os.fspath(path)},
            delta_condition="DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS",
        )
