"""Partition values as the log and folder names write them."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

from deltaresolver.log.names import NULL_FOLDER

_ESCAPED = frozenset("\"#%'*/:=?\\\x7f{}[]^") | {chr(code) for code in range(1, 32)}


def partition_text(value: Any) -> str | None:
    """A value as the log writes it: null for null and for the empty string."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            text = value.isoformat(sep=" ")
            # As Spark writes it, which leaves out what is nought at the end.
            return text.rstrip("0") if "." in text else text
        return value.astimezone(datetime.UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def folder_name(column: str, text: str | None) -> str:
    """The folder of one partition value, special characters escaped as Hive does."""
    return f"{_escaped(column)}={NULL_FOLDER if text is None else _escaped(text)}"


def _escaped(text: str) -> str:
    return "".join(f"%{ord(each):02X}" if each in _ESCAPED else each for each in text)
