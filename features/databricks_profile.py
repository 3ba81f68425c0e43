"""The profile `databricks`: what Databricks adds to the open-source rules, as its page on compatibility states it.

The open-source features stay as they are; this is asked for by name.
"""

from __future__ import annotations

from deltaresolver.model.catalog_profile import CatalogProfile, PlatformRequirement
from deltaresolver.plugins import hookimpl


@hookimpl
def catalog_profile() -> CatalogProfile:
    """Declare the profile."""
    return CatalogProfile(
        name="databricks",
        platform="Databricks",
        summary="The open-source rules with what Databricks adds to them.",
        spec_url="https://learn.microsoft.com/en-us/azure/databricks/delta/feature-compatibility",
        requirements=(
            PlatformRequirement("clustering", {"v2Checkpoint"}),
            # UniForm is the platform's name for the features that keep a table readable as Iceberg.
            PlatformRequirement("icebergCompatV1", {"columnMapping"}),
            PlatformRequirement("icebergCompatV2", {"columnMapping"}),
            PlatformRequirement("icebergCompatV3", {"columnMapping"}),
        ),
        protocol_changes_abort_writers=True,
    )
