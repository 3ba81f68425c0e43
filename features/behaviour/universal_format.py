"""Universal Format: readers of other formats can read the table. It is not a table feature, but it has rules.

Iceberg's readers need one of the icebergCompat features enabled; Hudi's need plain types and no deletion vectors.
"""

from __future__ import annotations

from collections.abc import Mapping

from deltaresolver.errors import TablePropertyRefusedError
from deltaresolver.model.behaviour import MetadataChange
from deltaresolver.model.facts.keys import DELETION_VECTORS, ICEBERG_COMPAT
from deltaresolver.model.facts.nested_types import types_in
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.rules import read_boolean
from deltaresolver.model.schema import base_type

FORMATS = "delta.universalFormat.enabledFormats"
ICEBERG, HUDI = "iceberg", "hudi"
COMPATIBILITIES = tuple(ICEBERG_COMPAT.values())
UNKNOWN_TO_HUDI = frozenset({"void", "byte", "short", "timestamp_ntz", "geometry", "geography"})


def settle_universal_format(change: MetadataChange) -> Metadata:
    """The metadata, without the Iceberg format where the last icebergCompat feature was disabled.

    Raises `TablePropertyRefusedError` for a format whose readers could not read the table.
    """
    metadata = change.metadata
    formats = enabled_formats(metadata)
    if HUDI in formats:
        _ensure_readable_by_hudi(metadata)
    if ICEBERG not in formats or _is_compatible(metadata):
        return metadata
    if change.before.is_new or not _is_compatible(change.before.metadata):
        raise _violation(ICEBERG, "needs an Iceberg compatibility, which the table does not have", COMPATIBILITIES[1])
    kept = [name for name in formats if name != ICEBERG]
    others = {key: value for key, value in metadata.configuration.items() if key != FORMATS}
    return metadata.with_configuration({**others, FORMATS: ",".join(kept)} if kept else others)


def enabled_formats(metadata: Metadata) -> tuple[str, ...]:
    """The formats besides Delta that the table can be read in, in lower case."""
    names = (name.strip().lower() for name in metadata.configuration.get(FORMATS, "").split(","))
    return tuple(name for name in names if name)


def _is_compatible(metadata: Metadata) -> bool:
    return any(_is_true(metadata.configuration, key) for key in COMPATIBILITIES)


def _is_true(properties: Mapping[str, str], key: str) -> bool:
    return read_boolean(key, properties.get(key, "false"))


def _ensure_readable_by_hudi(metadata: Metadata) -> None:
    if _is_true(metadata.configuration, DELETION_VECTORS):
        raise TablePropertyRefusedError(
            f"{FORMATS} cannot hold {HUDI}: its readers know no deletion vectors, and {DELETION_VECTORS} is true.",
            fix=f"Set {DELETION_VECTORS} to false first.",
            details={"key": FORMATS, "format": HUDI, "property": DELETION_VECTORS},
            delta_condition="DELTA_UNIVERSAL_FORMAT_VIOLATION",
        )
    for data_type in types_in(metadata.schema):
        if isinstance(data_type, str) and base_type(data_type) in UNKNOWN_TO_HUDI:
            raise TablePropertyRefusedError(
                f"{FORMATS} cannot hold {HUDI}: its readers know no type {data_type}, which the table has.",
                fix=f"Leave {HUDI} out of {FORMATS}, or change the column's type.",
                details={"key": FORMATS, "format": HUDI, "type": data_type},
                delta_condition="DELTA_UNIVERSAL_FORMAT_VIOLATION",
            )


def _violation(name: str, reason: str, switch: str) -> TablePropertyRefusedError:
    return TablePropertyRefusedError(
        f"{FORMATS} cannot hold {name}: it {reason}.",
        fix=f"Set {switch} to true too.",
        details={"key": FORMATS, "format": name, "needs": list(COMPATIBILITIES)},
        delta_condition="DELTA_UNIVERSAL_FORMAT_VIOLATION",
    )
