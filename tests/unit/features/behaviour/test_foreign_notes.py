"""Notes that other writers left in schemas and domains, which mean nothing or cannot be read."""

from __future__ import annotations

import pytest

from deltaresolver.errors import DomainMetadataError
from deltaresolver.features.clustering import _columns
from deltaresolver.features.deletion_vectors import _excluded
from deltaresolver.model.actions import DomainMetadata
from deltaresolver.model.facts.keys import CLUSTERING_DOMAIN
from deltaresolver.model.schema import StructType
from deltaresolver.transaction import operation as operations
from tests.metadata_by_hand import column
from tests.transactions import Scene

MAPPED = {"delta.columnMapping.id": 7, "delta.columnMapping.physicalName": "col-7"}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"clusteringColumns":1}', '{"clusteringColumns":[1]}'])
def test_a_domain_that_holds_no_columns_is_reported(text: str) -> None:
    with pytest.raises(DomainMetadataError, match="does not hold clustering columns"):
        _columns(DomainMetadata(CLUSTERING_DOMAIN, text))


def test_a_domain_holds_paths() -> None:
    domain = DomainMetadata(CLUSTERING_DOMAIN, '{"clusteringColumns":[["a"],["b","c"]]}')
    assert _columns(domain) == (("a",), ("b", "c"))


def test_ids_that_come_with_a_column_are_removed_where_nothing_is_mapped() -> None:
    scene = Scene()
    scene.create()
    transaction = scene.begin()
    schema = StructType((*transaction.metadata.schema.fields, column("d", metadata={**MAPPED, "comment": "c"})))
    transaction.update_metadata(transaction.metadata.with_schema(schema))
    transaction.commit([], operations.write("Overwrite"))
    assert scene.snapshot().metadata.schema.fields[-1].metadata == {"comment": "c"}


@pytest.mark.parametrize("condition", [None, "ONLY_SUPPORTED_ON_PARQUET"])
def test_deletion_vectors_are_refused_by_the_class_that_delta_spark_raises(condition: str | None) -> None:
    error = _excluded("are refused", "Leave them off.", condition)
    assert error.delta_class == "DeltaTablePropertyValidationFailedException"
    assert str(error.delta_condition).startswith("DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED.")
