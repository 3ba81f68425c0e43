"""How many rows of a file live, by its statistics and its deletion vector."""

from __future__ import annotations

import msgspec

from deltaresolver.model.actions import AddFile, RemoveFile


def physical_records(add: AddFile | RemoveFile) -> int | None:
    """The rows in a file; None where its statistics do not say."""
    found = msgspec.json.decode(add.stats).get("numRecords") if add.stats else None
    return None if found is None else int(found)


def live_records(add: AddFile | RemoveFile) -> int | None:
    """The rows of a file that are not deleted; None where its statistics do not say."""
    records = physical_records(add)
    if records is None or add.deletion_vector is None:
        return records
    return records - add.deletion_vector.cardinality
