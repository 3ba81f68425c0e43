"""A made-up platform on which rowTracking always brings lineageSource."""

from deltaresolver.plugin import CatalogProfile, PlatformRequirement, hookimpl


@hookimpl
def catalog_profile() -> CatalogProfile:
    """Declare the platform."""
    return CatalogProfile(
        name="lineage-cloud",
        platform="Lineage Cloud",
        summary="Tracked rows have sources.",
        spec_url="https://example.com/lineage-cloud",
        requirements=(PlatformRequirement("v2Checkpoint", {"lineageSource"}),),
    )
