"""What a change of the protocol by another commit does to one in flight, for every feature that this library writes."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from deltaresolver.defaults import default_catalog, delta_spark_catalog
from deltaresolver.errors import FeatureStillUsedError, ProtocolChangedError, ProtocolMismatchError
from deltaresolver.log.log import DeltaLog
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import with_features
from deltaresolver.resolution.capability import Capability
from deltaresolver.resolution.prepared import prepare
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.settings import ENFORCE_FEATURE_ENABLEMENT
from deltaresolver.transaction.transaction import OptimisticTransaction
from tests.logs import info
from tests.transactions import SCHEMA, Scene, add

CATALOG = delta_spark_catalog()
LISTED = Protocol.of(3, 7, (), ())
REPLACES = {"spark.databricks.delta.replace.protocolDowngradeAllowed": "true"}


def with_feature(name: str) -> Protocol:
    return with_features(LISTED, [name], CATALOG)


def is_written(protocol: Protocol) -> bool:
    client = Capability.of_support(CATALOG)
    return client.can_read(protocol) and client.can_write(protocol)


WRITTEN = [feature.name for feature in CATALOG if is_written(with_feature(feature.name))]


def listed_scene(protocol: Protocol = LISTED) -> Scene:
    """A table with this protocol, and no properties."""
    scene = Scene()
    metadata = Metadata("t", schema_string=SCHEMA, partition_columns=("p",))
    scene.put_commit(0, [info(), {"protocol": protocol.to_json()}, {"metaData": metadata.to_json()}])
    return scene


def aborts(names: Iterable[str]) -> bool:
    return any(CATALOG.get(name).aborts_concurrent_writers for name in names)


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("enforces", ["true", "false"])
def test_a_writer_ends_by_a_new_feature_where_it_aborts_writers_and_the_session_enforces_it(
    name: str, enforces: str
) -> None:
    scene, after = listed_scene(), with_feature(name)
    transaction = scene.begin(session={ENFORCE_FEATURE_ENABLEMENT: enforces})
    scene.put_commit(1, [info(), {"protocol": after.to_json()}])
    if enforces == "true" and aborts(after.listed_features):
        with pytest.raises(ProtocolChangedError, match="1"):
            transaction.commit([add("f")], operations.write())
    else:
        assert transaction.commit([add("f")], operations.write()) == 2


@pytest.mark.parametrize(
    ("catalog", "conflicts"),
    [(CATALOG, False), (default_catalog("databricks"), True)],
    ids=["delta-spark", "databricks"],
)
def test_a_protocol_of_the_same_meaning_ends_a_writer_on_a_platform_alone_that_says_so(
    catalog: FeatureCatalog, *, conflicts: bool
) -> None:
    scene = listed_scene(Protocol(1, 2))
    transaction = OptimisticTransaction(DeltaLog(scene.store), catalog)
    same = Protocol.of(1, 7, (), ("appendOnly", "invariants"))
    scene.put_commit(1, [info(), {"protocol": same.to_json()}])
    if conflicts:
        with pytest.raises(ProtocolChangedError, match="appendOnly"):
            transaction.commit([add("f")], operations.write())
    else:
        assert transaction.commit([add("f")], operations.write()) == 2


@pytest.mark.parametrize("name", [name for name in WRITTEN if not CATALOG.get(name).requires])
def test_a_feature_is_dropped_beside_an_append_wherever_it_can_be_dropped_at_all(name: str) -> None:
    scene = listed_scene(with_feature(name))
    transaction = scene.begin(session=REPLACES)
    transaction.update_metadata_for_new_table(Metadata("t", schema_string=SCHEMA, partition_columns=("p",)))
    dropped = {name} - prepare(CATALOG).supported(transaction.protocol)
    scene.append(add("f"))
    if dropped and CATALOG.get(name).removal is None:
        with pytest.raises(FeatureStillUsedError, match="not removable") as caught:
            transaction.commit([], operations.table_creation("REPLACE TABLE"))
        assert caught.value.delta_condition == "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE"
        return
    assert transaction.commit([], operations.table_creation("REPLACE TABLE")) == 2
    assert name not in scene.snapshot().protocol.listed_features or not dropped


def test_a_table_that_another_commit_has_broken_ends_a_removal() -> None:
    scene = listed_scene(with_feature("v2Checkpoint"))
    transaction = scene.begin(session=REPLACES)
    plain = Metadata("t", schema_string=SCHEMA, partition_columns=("p",))
    transaction.update_metadata_for_new_table(plain)
    broken = plain.with_configuration({"delta.enableDeletionVectors": "true"})
    scene.put_commit(1, [info(), {"metaData": broken.to_json()}])
    with pytest.raises(ProtocolMismatchError, match="deletionVectors"):
        transaction.commit([], operations.table_creation("REPLACE TABLE"))
