"""Facts that features need from a file's statistics."""

from __future__ import annotations

from typing import Annotated

import msgspec

from deltaresolver.model.actions import AddFile


class _Statistics(msgspec.Struct, rename="camel"):
    num_records: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] | None = None
    tight_bounds: bool | None = None


_decoder = msgspec.json.Decoder(_Statistics)


def physical_records(file: AddFile) -> int | None:
    """The number of rows in the file, deleted ones included; None where its statistics do not have it."""
    found = _read(file)
    return None if found is None else found.num_records


def tight_bounds(file: AddFile) -> bool | None:
    """Whether the statistics are about live rows only; None where that is not known."""
    found = _read(file)
    return None if found is None else found.tight_bounds


def _read(file: AddFile) -> _Statistics | None:
    if not file.stats:
        return None
    try:
        return _decoder.decode(file.stats)
    except (msgspec.DecodeError, RecursionError):
        return None
