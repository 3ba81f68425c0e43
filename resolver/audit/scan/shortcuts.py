"""Compare the shortcuts that readers take with the log: `_last_checkpoint`, and the checksum of the newest version.

Neither is needed to read a table, so only a comparison with the log shows that one is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec

from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.listing import LogFiles
from deltaresolver.log.names import LAST_CHECKPOINT
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol


class _Hint(msgspec.Struct):
    version: int


class _Stated(msgspec.Struct, rename="camel"):
    """The part of a checksum that repeats the table's state."""

    protocol: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    num_files: int | None = None
    table_size_bytes: int | None = None


_hint_decoder = msgspec.json.Decoder(_Hint)
_checksum_decoder = msgspec.json.Decoder(_Stated)


def shortcut_paths(files: LogFiles) -> Collection[str]:
    """The paths of those of the two shortcuts that are there, to be read together with the commits."""
    newest = files.checksums.get(files.commits[-1].last_version) if files.commits else None
    return (LAST_CHECKPOINT,) if newest is None else (LAST_CHECKPOINT, newest)


def hint_problem(hint: bytes, files: LogFiles) -> tuple[str, bool] | None:
    """What is wrong with a `_last_checkpoint` of these bytes, and whether it dangles; None if it is right.

    One that names a missing checkpoint is graver: some readers believe it, while all ignore one that is not JSON.
    """
    try:
        named = _hint_decoder.decode(hint).version
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "it is empty" if not hint.strip() else "it is not a JSON object with a version", False
    if any(each.table_version == named for each in files.checkpoints):
        return None
    newest = f"the newest is of version {files.checkpoints[-1].table_version}" if files.checkpoints else "there is none"
    return f"it names version {named}, of which there is no whole checkpoint ({newest})", True


def checksum_problem(checksum: bytes, protocol: Protocol | None, metadata: Metadata | None) -> str | None:
    """Where a checksum differs from the log, in words. `protocol` and `metadata` are the log's; None if not read."""
    wrong = []
    try:
        stated = _checksum_decoder.decode(checksum)
        if not stated.protocol or not stated.metadata:
            return None  # older writers keep only the numbers of files and bytes
        protocol_stated, metadata_stated = Protocol.from_json(stated.protocol), Metadata.from_json(stated.metadata)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "it is not the JSON of a checksum"
    except DeltaResolverError as error:
        return error.message.rstrip(".")
    if protocol is not None and protocol_stated != protocol:
        wrong.append(f"the protocol is {protocol_stated} there and {protocol} in the log")
    if metadata is not None:
        different = [name for name, is_same in _COMPARED.items() if not is_same(metadata_stated, metadata)]
        if different:
            wrong.append(f"{' and '.join(different)} {'is' if len(different) == 1 else 'are'} not that of the log")
    return "; ".join(wrong) or None


def _same_schema(one: Metadata, other: Metadata) -> bool:
    if one.schema_string == other.schema_string:
        return True
    try:
        return one.schema == other.schema
    except DeltaResolverError:
        return False


_COMPARED: Mapping[str, Callable[[Metadata, Metadata], bool]] = {
    "the table's id": lambda one, other: one.id == other.id,
    "the schema": _same_schema,
    "the partitioning": lambda one, other: one.partition_columns == other.partition_columns,
    "the properties": lambda one, other: one.configuration == other.configuration,
}
"""The parts of the metadata that clients act on; others, such as the name, may be written in more than one way."""


def totals_problem(checksum: bytes, file_count: int, total_bytes: int) -> str | None:
    """Where a checksum's counts differ from the log's, in words; None also for one without counts."""
    try:
        stated = _checksum_decoder.decode(checksum)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if stated.num_files is not None and stated.num_files != file_count:
        return f"it counts {stated.num_files:,} files where the log has {file_count:,}"
    if stated.table_size_bytes is not None and stated.table_size_bytes != total_bytes:
        return f"it counts {stated.table_size_bytes:,} bytes where the log has {total_bytes:,}"
    return None
