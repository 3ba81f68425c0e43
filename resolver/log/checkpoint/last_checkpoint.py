"""The `_last_checkpoint` file: a hint where to start listing, believed only as far as the listing agrees."""

from __future__ import annotations

import msgspec

from deltaresolver.log.names import LAST_CHECKPOINT
from deltaresolver.log.storage.log_store import LogStore


class _Hint(msgspec.Struct):
    version: int


_decoder = msgspec.json.Decoder(_Hint)


def find_hinted_version(store: LogStore) -> int | None:
    """The table version `_last_checkpoint` names; `None` when it is missing, torn or nonsense."""
    data = store.find(LAST_CHECKPOINT)
    if data is None:
        return None
    try:
        table_version = _decoder.decode(data).version
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return table_version if table_version >= 0 else None
