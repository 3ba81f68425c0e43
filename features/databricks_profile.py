"""The profile `databricks`: rules that Databricks adds to the open-source ones, by its page on compatibility.

It is used only when asked for by name; the open-source features do not change.
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
