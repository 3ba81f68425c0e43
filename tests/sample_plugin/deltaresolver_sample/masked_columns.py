"""sampleMaskedColumns: values of some columns are shown masked, and readers must not show them as they are.

A column says so itself, at any depth, so that the mask survives whatever the schema becomes.
"""

from collections.abc import Mapping

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.rules import FieldHasMetadata
from deltaresolver.model.schema import walk_fields
from deltaresolver.model.support import SAFE, ReadAs, Support
from deltaresolver.plugins import hookimpl

KEY = "sample.mask"
MASK = "***"


def shown_columns(metadata: Metadata) -> Mapping[str, str]:
    """An expression for each column that is masked or holds something masked: text becomes stars, the rest null."""
    masked = {path[0] for path, field in walk_fields(metadata.schema) if KEY in (field.metadata or {})}
    return {field.name: _shown(field.name, field.type) for field in metadata.schema.fields if field.name in masked}


def _shown(name: str, kind: object) -> str:
    column = "`" + name.replace("`", "``") + "`"
    return f"IF({column} IS NULL, NULL, '{MASK}')" if kind == "string" else f"IF(false, {column}, NULL)"


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
        # Stored rows may be copied as they are; only who reads them sees stars.
        support=Support(read=ReadAs(columns=shown_columns), rewrite=SAFE, checkpoint=SAFE),
    )
