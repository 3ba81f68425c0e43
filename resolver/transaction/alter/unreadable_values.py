"""A change of properties whose present values nobody can read: it is judged as if those were not set.

A writer that checks nothing may leave `maybe` in a table as the value of a switch. Then every reading of that
property fails, also in the command that is to correct it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from deltaresolver.errors import DeltaResolverError, PropertyInvalidError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.columns import UNMAPPED
from deltaresolver.model.facts.keys import MAPPING_MODE, PHYSICAL_NAME
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.view import TableView
from deltaresolver.resolution.instructions import without_keys
from deltaresolver.resolution.prepared import prepare
from deltaresolver.transaction.metadata.property_values import ensure_value
from deltaresolver.transaction.starter import TransactionStarter


def starting_past(
    starter: TransactionStarter, metadata: Metadata, to_set: Mapping[str, str], to_unset: Iterable[str]
) -> tuple[TransactionStarter, tuple[str, ...]]:
    """A starter to which the table has none of the named properties that cannot be read, and those properties.

    Raises `PropertyInvalidError` where columns would be looked for in data files by names that they do not have there.
    """
    named = {key: to_set.get(key) for key in (*to_set, *to_unset) if key in metadata.configuration}
    hidden = tuple(key for key in named if not _can_be_read(key, metadata.configuration[key], starter.catalog))
    if not hidden:
        return starter, ()
    kept = without_keys(metadata.configuration, hidden)
    if MAPPING_MODE in hidden and PHYSICAL_NAME in (metadata.schema_string or ""):
        kept[MAPPING_MODE] = _mode_of_named_columns(metadata, named[MAPPING_MODE])
    return attrs.evolve(starter, log=starter.log.as_if(metadata.with_configuration(kept))), hidden


def with_all_at_once(error: PropertyInvalidError, others: Iterable[str]) -> PropertyInvalidError:
    """The error about one more such property, which has to be mended in the same command as `others`."""
    error.fix = f"{error.fix.rstrip('.')}, or unset it, in the same command as {', '.join(others)}."
    return error


def _mode_of_named_columns(metadata: Metadata, asked: str | None) -> str:
    """The mode that columns with names of their own have had: the one asked for. Raises for none."""
    if asked is not None and asked.lower() != UNMAPPED:
        return asked
    raise PropertyInvalidError(
        f"{MAPPING_MODE} cannot become {UNMAPPED}: columns have names of their own in data files.",
        fix=f"Set {MAPPING_MODE} to name or id.",
        details={"key": MAPPING_MODE, "value": metadata.configuration[MAPPING_MODE], "expected": ["name", "id"]},
    )


def _can_be_read(key: str, value: str, catalog: FeatureCatalog) -> bool:
    alone = Metadata(configuration={key: value})
    try:
        ensure_value(key, value)
        prepare(catalog).triggers.enabled(TableView(alone))
    except DeltaResolverError:
        return False
    return True
