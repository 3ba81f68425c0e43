"""sampleChangeApproval: every changed row names who approved the change.

Approvals are kept by row id, which is why rowTracking comes with it.
"""

from deltaresolver.plugin import FeatureKind, PropertyIsTrue, Removal, TableFeature, hookimpl

FEATURE = "sampleChangeApproval"
PROPERTY = "sample.requireChangeApproval"


@hookimpl
def table_feature() -> TableFeature:
    """Declare sampleChangeApproval."""
    return TableFeature(
        name=FEATURE,
        kind=FeatureKind.WRITER,
        summary="Every changed row names who approved the change.",
        spec_url="https://example.com/specification/change-approval",
        requires={"rowTracking"},
        trigger=PropertyIsTrue(PROPERTY),
        upgrades_existing_table=True,
        removal=Removal(drops_properties=(PROPERTY,)),
    )
