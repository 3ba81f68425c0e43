"""sampleMaskedColumns: values of some columns are shown masked, and readers must not show them as they are.

A column says so itself, at any depth, so that the mask survives whatever the schema becomes.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from deltaresolver.actions import Operation
from deltaresolver.model.schema import walk_fields
from deltaresolver.plugin import (
    SAFE,
    FeatureBehaviour,
    FeatureKind,
    FieldHasMetadata,
    Metadata,
    PreparatoryCommit,
    ReadAs,
    RemainingTable,
    Removal,
    Support,
    TableFeature,
    hookimpl,
)

KEY = "sample.mask"
MASK = "***"


def shown_columns(metadata: Metadata) -> Mapping[str, str]:
    """An expression for each column that is masked or holds something masked: text becomes stars, the rest null."""
    masked = {path[0] for path, field in walk_fields(metadata.schema) if KEY in (field.metadata or {})}
    return {field.name: _shown(field.name, field.type) for field in metadata.schema.fields if field.name in masked}


def _shown(name: str, kind: object) -> str:
    column = "`" + name.replace("`", "``") + "`"
    return f"IF({column} IS NULL, NULL, '{MASK}')" if kind == "string" else f"IF(false, {column}, NULL)"


class Masking(FeatureBehaviour):
    """Takes the masks away before the feature goes."""

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """One commit with a schema that masks nothing."""
        schema = json.loads(table.metadata.schema_string or "{}")
        if not _unmask(schema):
            return None
        return PreparatoryCommit(
            Operation("UNMASK COLUMNS", {}), attrs.evolve(table.metadata, schema_string=json.dumps(schema))
        )


def _unmask(node: Any) -> bool:
    """Take the key out of all field metadata below; whether there was any."""
    found = False
    if isinstance(node, dict):
        if isinstance(node.get("metadata"), dict) and KEY in node["metadata"]:
            del node["metadata"][KEY]
            found = True
        for below in node.values():
            found |= _unmask(below)
    elif isinstance(node, list):
        for below in node:
            found |= _unmask(below)
    return found


@hookimpl
def table_feature() -> TableFeature:
    """Declare sampleMaskedColumns."""
    return TableFeature(
        name="sampleMaskedColumns",
        kind=FeatureKind.READER_WRITER,
        summary="Columns can be shown masked.",
        spec_url="https://example.com/specification/masked-columns",
        trigger=FieldHasMetadata((KEY,)),
        upgrades_existing_table=True,
        # Older versions stay masked for whoever reads them, so history keeps needing the feature.
        removal=Removal(protects_history=True),
        behaviour=Masking(),
        # Stored rows may be copied as they are; only who reads them sees stars.
        support=Support(read=ReadAs(columns=shown_columns), rewrite=SAFE, checkpoint=SAFE),
    )
