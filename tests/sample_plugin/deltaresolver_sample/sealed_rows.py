"""sampleSealedRows: rows satisfy a condition that the table holds as a property, and say where they came from.

It requires a feature of another package, deltaresolver-lineage, whose feature requires one of this package.
"""

from collections.abc import Sequence

from deltaresolver.plugin import (
    ConditionsRows,
    FeatureKind,
    Metadata,
    PropertyPresent,
    Removal,
    RowCondition,
    RowRuleKind,
    TableFeature,
    hookimpl,
)

PROPERTY = "sample.sealedRows"


class Sealing(ConditionsRows):
    """Holds every row that is written to the condition."""

    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        """The condition, if there is one."""
        condition = metadata.configuration.get(PROPERTY)
        return () if condition is None else (RowCondition("sealed rows", condition, kind=RowRuleKind.OTHER),)


@hookimpl
def table_feature() -> TableFeature:
    """Declare sampleSealedRows."""
    return TableFeature(
        name="sampleSealedRows",
        kind=FeatureKind.WRITER,
        summary="Every row satisfies the condition of the table.",
        spec_url="https://example.com/specification/sealed-rows",
        requires={"lineageSource"},
        enabled_with={"lineageSource"},
        trigger=PropertyPresent(PROPERTY),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        removal=Removal(drops_properties=(PROPERTY,)),
        behaviour=Sealing(),
    )
