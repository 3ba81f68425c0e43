"""A table with a stranger's feature lives as any other: checkpoints, clean-up, dropping what protects history."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import FeatureInUseError, ProtocolUnsupportedError
from deltaresolver.log.names import parse_log_path
from deltaresolver.log.upkeep.cleanup import clean_up_log
from deltaresolver.model.actions import Action, AddFile, DomainMetadata, RemoveFile
from deltaresolver.model.behaviour import Draft, FeatureBehaviour
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import Removal
from deltaresolver.model.support import REFUSED, LogTraces, Support
from deltaresolver.table import Table
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.operation import operation
from tests.features import reader_feature, writer_feature

SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
AUDIT_TRAIL = FeatureCatalog([*built_in_catalog(), writer_feature("auditTrail", "rowTracking")])
YEAR_MS = 366 * 86_400_000


def altered(location: Path, catalog: FeatureCatalog, commits: int, **properties: str) -> Table:
    wanted = {"acme.auditTrail": "true", "delta.checkpointInterval": "5", **properties}
    table = Table.create(location, SCHEMA, catalog=catalog, properties=wanted)
    for number in range(1, commits):
        table.alter({"note": str(number)})
    return table


def checkpoints(location: Path) -> list[int]:
    names = [parse_log_path(f"_delta_log/{file.name}") for file in (location / "_delta_log").iterdir()]
    return sorted(name.table_version for name in names if name is not None and name.is_checkpoint)


def test_checkpoints_are_written_and_the_log_is_cleaned_up(tmp_path: Path) -> None:
    table = altered(tmp_path / "t", AUDIT_TRAIL, 12)
    assert checkpoints(tmp_path / "t") == [5, 10]
    done = clean_up_log(table.log, table.log.snapshot().clock() + YEAR_MS, AUDIT_TRAIL)
    assert (done.refusal, done.kept_from) == (None, 10)
    assert checkpoints(tmp_path / "t") == [10]


def test_a_feature_that_protects_history_is_dropped_beside_it(tmp_path: Path) -> None:
    table = altered(tmp_path / "t", AUDIT_TRAIL, 2, **{"delta.enableDeletionVectors": "true"})
    table.drop_feature("deletionVectors")
    supported = table.log.update().protocol.writer_feature_names
    assert "deletionVectors" not in supported
    assert {"auditTrail", "checkpointProtection"} <= supported


def test_a_reader_feature_that_states_nothing_gets_no_checkpoint(tmp_path: Path) -> None:
    catalog = FeatureCatalog([*built_in_catalog(), reader_feature("auditTrail")])
    altered(tmp_path / "t", catalog, 7)
    assert checkpoints(tmp_path / "t") == []


@pytest.mark.parametrize(
    ("support", "reason"),
    [
        (Support(write=REFUSED), "does not implement auditTrail"),
        (
            Support(write=lambda metadata: f"of {metadata.configuration['acme.owner']}"),
            "auditTrail: of finance",
        ),
    ],
)
def test_a_table_may_refuse_to_be_written(tmp_path: Path, support: Support, reason: str) -> None:
    altered(tmp_path / "t", AUDIT_TRAIL, 2, **{"acme.owner": "finance"})
    refusing = FeatureCatalog([*built_in_catalog(), writer_feature("auditTrail", "rowTracking", support=support)])
    with pytest.raises(ProtocolUnsupportedError, match=reason):
        Table(tmp_path / "t", catalog=refusing).alter({"a": "b"})


def test_rows_may_be_appended_where_they_may_not_be_rewritten(tmp_path: Path) -> None:
    catalog = FeatureCatalog([*built_in_catalog(), writer_feature("auditTrail", support=Support(rewrite=REFUSED))])
    table = altered(tmp_path / "t", catalog, 1)
    first = AddFile("a.parquet", {}, 1, 1, True, stats='{"numRecords":1}')
    table.start_transaction().commit([first], operation("WRITE"))
    removed = RemoveFile("a.parquet", 1, True)
    again = AddFile("b.parquet", {}, 1, 1, True, stats='{"numRecords":1}')
    transaction = table.start_transaction()
    transaction.track_files_read([first])
    with pytest.raises(ProtocolUnsupportedError, match="auditTrail"):
        transaction.commit([removed, again], operation("DELETE"))


class Noting(FeatureBehaviour):
    """Amends drafts, if only by not changing them."""

    def amend_draft(self, draft: Draft) -> Draft:
        """The same draft."""
        return draft


def test_features_are_asked_after_the_features_they_require() -> None:
    catalog = FeatureCatalog([*built_in_catalog(), writer_feature("aFirst", "rowTracking", behaviour=Noting())])
    names = [name for name, _ in behaviours_of(catalog).all_with("amend_draft")]
    assert names.index("rowTracking") < names.index("aFirst")


@pytest.mark.parametrize(
    ("traces", "action", "found"),
    [
        (
            LogTraces(domains=("acme.seal",)),
            DomainMetadata("acme.seal", "{}", removed=False),
            "metadata domain acme.seal",
        ),
        (LogTraces(file_tags=("acmeSeal",)), AddFile("a", {}, 1, 1, True, tags={"acmeSeal": "1"}), "file a"),
        (LogTraces(file_tags=("acmeSeal",)), AddFile("a", {}, 1, 1, True), None),
        (LogTraces(domains=("acme.seal",)), DomainMetadata("acme.other", "{}", removed=False), None),
    ],
)
def test_what_the_log_shows_keeps_a_feature_from_being_dropped(
    tmp_path: Path, traces: LogTraces, action: Action, found: str | None
) -> None:
    declared = writer_feature("sealed", "domainMetadata", trigger=None, removal=Removal(), traces=traces)
    catalog = FeatureCatalog([*built_in_catalog(), declared])
    table = Table.create(tmp_path / "t", SCHEMA, catalog=catalog, properties={"delta.feature.sealed": "supported"})
    table.start_transaction().commit([action], operation("WRITE"))
    if found is None:
        table.drop_feature("sealed")
        return
    with pytest.raises(FeatureInUseError, match=found):
        table.drop_feature("sealed")
