"""variantShredding: frequent fields of a variant are stored as columns of their own in the data files.

delta-spark still adds the preview name when the table property is set, so this one is added only by name.
"""

from __future__ import annotations

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.support import SAFE, Support
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare variantShredding."""
    return TableFeature(
        name="variantShredding",
        kind=FeatureKind.READER_WRITER,
        min_reader_version=3,
        min_writer_version=7,
        summary="Fields of variants can be stored as columns.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#variant-shredding",
        requires={"variantType"},
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        support=Support(read=SAFE),
    )
