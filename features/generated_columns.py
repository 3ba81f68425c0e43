"""generatedColumns: columns whose value is computed from other columns when a row is written.

Only columns of the table itself can be generated, not fields nested in them.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.rules import FieldHasMetadata
from deltaresolver.model.schema import Place
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare generatedColumns."""
    return TableFeature(
        name="generatedColumns",
        kind=FeatureKind.WRITER,
        summary="Column values are computed from other columns on write.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#generated-columns",
        legacy=LegacyVersion(0, 4, check_order=4),
        trigger=FieldHasMetadata(("delta.generationExpression",), Place.TOP),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
    )
