"""What built-in features declare is what delta-spark's features state of themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.model.feature import FeatureKind, TableFeature

STATED = json.loads((Path(__file__).parents[2] / "recorded" / "features.json").read_text(encoding="utf-8"))

NO_TRIGGER = {"variantShredding", "variantType-preview"}
"""Metadata brings them to delta-spark where a setting of the session says so, instead of the feature of the same name
that has a trigger; here they come when they are asked for."""


def declared(feature: TableFeature) -> dict[str, Any]:
    """The declaration in delta-spark's words."""
    removal = feature.removal
    return {
        "name": feature.name,
        "minReaderVersion": feature.min_reader_version,
        "minWriterVersion": feature.min_writer_version,
        "isReaderWriter": feature.kind is FeatureKind.READER_WRITER,
        "isLegacy": feature.legacy is not None,
        "isRemovable": removal is not None,
        "requiresHistoryProtection": removal is not None and removal.protects_history,
        "tablePropertiesToRemoveAtDowngrade": [] if removal is None else sorted(removal.drops_properties),
        "requires": sorted(feature.requires),
        "automaticallyEnabledByMetadata": feature.trigger is not None or feature.name in NO_TRIGGER,
        "automaticallyUpdateProtocolOfExistingTables": feature.upgrades_existing_table,
        "failConcurrentTransactionsAtUpgrade": feature.aborts_concurrent_writers,
    }


@pytest.mark.parametrize("stated", STATED, ids=lambda stated: str(stated["name"]))
def test_a_feature_declares_what_it_is_in_delta_spark(stated: dict[str, Any]) -> None:
    found = declared(delta_spark_catalog().get(stated["name"]))
    assert {key: found[key] for key in stated} == stated
