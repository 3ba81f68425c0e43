"""sampleMaskedColumns: values of some columns are stored masked, and readers must not show them as they are.

A column says so itself, at any depth, so that the mask survives whatever the schema becomes.
"""

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import FieldHasMetadata
from deltaresolver.plugins import hookimpl

KEY = "sample.mask"


@hookimpl
def table_feature() -> TableFeature:
    """Declare sampleMaskedColumns."""
    return TableFeature(
        name="sampleMaskedColumns",
        kind=FeatureKind.READER_WRITER,
        summary="Columns can be stored masked.",
        spec_url="https://example.com/specification/masked-columns",
        trigger=FieldHasMetadata((KEY,)),
        upgrades_existing_table=True,
    )
