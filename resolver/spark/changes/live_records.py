"""How many rows of a file live, by its statistics and its deletion vector."""

from __future__ import annotations

from typing import Annotated

import msgspec

from deltaresolver.model.actions import AddFile, RemoveFile


class _Counted(msgspec.Struct, rename="camel"):
    num_records: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] | None = None


_decoder = msgspec.json.Decoder(_Counted)


def physical_records(add: AddFile | RemoveFile) -> int | None:
    """The rows in a file; None where its statistics do not say."""
    try:
        return _decoder.decode(add.stats).num_records if add.stats else None
    except (msgspec.DecodeError, RecursionError):
        return None


def live_records(add: AddFile | RemoveFile) -> int | None:
    """The rows of a file that are not deleted; None where its statistics do not say."""
    records = physical_records(add)
    if records is None or add.deletion_vector is None:
        return records
    return records - add.deletion_vector.cardinality
