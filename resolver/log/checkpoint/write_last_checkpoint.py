"""Write `_last_checkpoint`: where readers may start listing, and a checksum by which they see that it is whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import attrs
import msgspec

from deltaresolver.log.checkpoint.last_checkpoint import find_hinted_version
from deltaresolver.log.names import LAST_CHECKPOINT
from deltaresolver.log.storage.log_store import LogStore


@attrs.frozen(slots=True)
class LastCheckpoint:
    """What the hint says of the newest checkpoint."""

    table_version: int
    action_count: int
    total_bytes: int
    file_count: int
    """Live files in the checkpoint."""
    part_count: int | None = None
    """Only for a checkpoint in several parts."""

    def to_json(self) -> dict[str, Any]:
        """The hint as it is stored, the checksum included."""
        value: dict[str, Any] = {"version": self.table_version, "size": self.action_count}
        if self.part_count is not None:
            value["parts"] = self.part_count
        value["sizeInBytes"] = self.total_bytes
        value["numOfAddFiles"] = self.file_count
        return {**value, "checksum": json_checksum(value)}


def write_last_checkpoint(store: LogStore, hint: LastCheckpoint) -> bool:
    """Point readers to this checkpoint; left alone, with False, where they are pointed to a newer one."""
    hinted = find_hinted_version(store)
    if hinted is not None and hinted > hint.table_version:
        return False
    store.put(LAST_CHECKPOINT, msgspec.json.encode(hint.to_json()))
    return True


_IGNORED = "checksum"


def json_checksum(value: Mapping[str, Any]) -> str:
    """The MD5, in hexadecimal, of the canonical form; a `checksum` at the top does not count."""
    return hashlib.md5(canonical_form(value).encode(), usedforsecurity=False).hexdigest()


def canonical_form(value: Mapping[str, Any]) -> str:
    """Every leaf as `path=value`, ordered by path: the same for every spelling of the same object."""
    counted = {key: item for key, item in value.items() if key != _IGNORED}
    leaves = sorted(_leaves(counted, ()), key=lambda leaf: leaf[0].encode())
    return ",".join(f"{path}={text}" for path, text in leaves)


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, (*path, _quoted(key)))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, str(index)))
    else:
        yield "+".join(path), _quoted(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def _quoted(text: str) -> str:
    return f'"{quote(text, safe="")}"'
