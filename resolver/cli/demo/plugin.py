"""The third-party feature of the demo: a real plugin, found by its entry point as an installed one is."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

PROPERTY = "acme.auditTrail"
MODULE = "acme_audit_trail"

_SOURCE = f'''\
"""auditTrail: writers record who changed what."""

from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.plugins import hookimpl


@hookimpl
def table_feature() -> TableFeature:
    """Declare auditTrail."""
    return TableFeature(
        name="auditTrail",
        kind=FeatureKind.WRITER,
        summary="Writers record who changed what.",
        spec_url="https://example.com/audit-trail",
        requires={{"domainMetadata"}},
        trigger=PropertyIsTrue("{PROPERTY}"),
        upgrades_existing_table=True,
    )
'''
_METADATA = "Metadata-Version: 2.1\nName: acme-audit-trail\nVersion: 1.0\n"
_ENTRY_POINTS = f"[deltaresolver.features]\naudit_trail = {MODULE}\n"


def install_plugin(folder: Path) -> None:
    """Write the package to `folder` and let this process find it; before the first look at the default catalog."""
    information = folder / "acme_audit_trail-1.0.dist-info"
    information.mkdir(parents=True, exist_ok=True)
    (folder / f"{MODULE}.py").write_text(_SOURCE, encoding="utf-8")
    (information / "METADATA").write_text(_METADATA, encoding="utf-8")
    (information / "entry_points.txt").write_text(_ENTRY_POINTS, encoding="utf-8")
    sys.path.insert(0, str(folder.resolve()))
    importlib.invalidate_caches()
