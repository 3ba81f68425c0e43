"""rowTracking at commit: ids are dense, never given twice, and survive every order in which commits land."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import RowTrackingError
from deltaresolver.model.actions import AddFile, DomainMetadata
from deltaresolver.transaction import operation as operations
from tests.transactions import Scene, add, of_kind

ON = {"delta.enableRowTracking": "true"}
DOMAIN = "delta.rowTracking"


def high_water_mark(scene: Scene) -> int:
    return int(json.loads(scene.snapshot().domains[DOMAIN].configuration)["rowIdHighWaterMark"])


def ranges(scene: Scene) -> list[range]:
    """The row ids of every live file, in order."""
    found = []
    for file in scene.snapshot().add_actions():
        assert file.base_row_id is not None
        rows = json.loads(file.stats or "{}")["numRecords"]
        found.append(range(file.base_row_id, file.base_row_id + rows))
    return sorted(found, key=lambda each: (each.start, each.stop))


def test_materialised_columns_are_named_once() -> None:
    scene = Scene()
    scene.create(ON)
    before = scene.snapshot().metadata.configuration
    keys = {key for key in before if "materialized" in key}
    assert len({before[key] for key in keys}) == len(keys) == 2
    scene.set_properties(my__key="1")
    after = scene.snapshot().metadata.configuration
    assert {key: after[key] for key in keys} == {key: before[key] for key in keys}


@given(st.lists(st.lists(st.integers(0, 5), max_size=3), max_size=5), st.data())
def test_ids_never_overlap_whatever_the_order_of_commits(commits: list[list[int]], data: st.DataObject) -> None:
    """Transactions all begun on one version, committed in any order: each rebases over those before it."""
    scene = Scene()
    scene.create(ON)
    begun = [(number, rows, scene.begin()) for number, rows in enumerate(commits)]
    for number, rows, transaction in data.draw(st.permutations(begun)):
        files = [add(f"f{number}-{index}", rows=count) for index, count in enumerate(rows)]
        version = transaction.commit(files, operations.write())
        written = transaction.committed
        assert written is not None
        for file in of_kind(AddFile, written.actions):
            assert file.default_row_commit_version == version
    found = ranges(scene)
    taken = [row for each in found for row in each]
    assert sorted(taken) == list(range(sum(map(sum, commits))))
    if taken:
        assert high_water_mark(scene) == max(taken)


def test_ids_given_earlier_are_kept() -> None:
    scene = Scene()
    scene.create(ON)
    scene.append(add("f"))
    transaction = scene.begin()
    scene.append(add("g"))
    moved = add("f2", base_row_id=0, default_row_commit_version=1, data_change=False)
    transaction.commit([moved], operations.optimize())
    (file,) = [file for file in scene.snapshot().add_actions() if file.path == "f2"]
    assert (file.base_row_id, file.default_row_commit_version) == (0, 1)


def test_a_file_without_a_row_count_is_refused() -> None:
    scene = Scene()
    scene.create(ON)
    with pytest.raises(RowTrackingError) as caught:
        scene.append(add("f", rows=None))
    assert caught.value.delta_condition == "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS"
    assert caught.value.details == {"path": "f"}


def test_nobody_else_moves_the_counter() -> None:
    scene = Scene()
    scene.create(ON)
    with pytest.raises(RowTrackingError, match="Manually setting the Row ID high water mark is not allowed"):
        scene.begin().commit([DomainMetadata(DOMAIN, '{"rowIdHighWaterMark":1}')], operations.manual_update())


def test_suspended_tracking_gives_and_keeps_no_ids() -> None:
    scene = Scene()
    scene.create({"delta.feature.rowTracking": "supported", "delta.rowTrackingSuspended": "true"})
    scene.append(add("f", base_row_id=5, default_row_commit_version=1))
    (file,) = scene.snapshot().add_actions()
    assert (file.base_row_id, file.default_row_commit_version) == (None, None)


def test_enabled_and_suspended_contradict_each_other() -> None:
    with pytest.raises(RowTrackingError) as caught:
        Scene().create({**ON, "delta.rowTrackingSuspended": "true"})
    assert caught.value.delta_condition == "DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION"


def test_a_writer_in_flight_passes_the_commit_that_switches_tracking_on() -> None:
    scene = Scene()
    scene.create({"delta.feature.rowTracking": "supported"})
    transaction = scene.begin()
    scene.set_properties(delta__enableRowTracking="true")
    transaction.commit([add("f")], operations.write())
    written = transaction.committed
    assert written is not None
    assert written.commit_info.fields["tags"] == {"delta.rowTracking.preserved": "false"}
    assert high_water_mark(scene) == 9


def test_a_backfill_leaves_out_what_others_gave_ids_meanwhile() -> None:
    scene = Scene()
    scene.create()
    scene.append(add("f"), add("g"))
    scene.set_properties(delta__feature__rowTracking="supported")
    backfill = scene.begin()
    files = backfill.filter_files()
    again = [add(file.path, data_change=False) for file in files if file.path == "f"]
    scene.begin().commit(again, operations.row_tracking_backfill())
    backfill.commit([add(file.path, data_change=False) for file in files], operations.row_tracking_backfill())
    assert {file.path: file.base_row_id for file in scene.snapshot().add_actions()} == {"f": 0, "g": 10}


def test_a_backfill_after_another_brings_no_domain_of_a_stranger() -> None:
    scene = Scene()
    scene.create()
    scene.append(add("f"), add("g"))
    scene.set_properties(delta__feature__rowTracking="supported")
    backfill = scene.begin()
    scene.begin().commit([add("f", data_change=False)], operations.row_tracking_backfill())
    again, notes = add("g", data_change=False), DomainMetadata("acme.notes", "{}")
    with pytest.raises(RowTrackingError, match="unexpected action"):
        backfill.commit([again, notes], operations.row_tracking_backfill())


def test_columns_may_not_have_the_name_set_aside() -> None:
    scene = Scene()
    scene.create(ON)
    transaction = scene.begin()
    name = transaction.metadata.configuration["delta.rowTracking.materializedRowIdColumnName"]
    schema = (transaction.metadata.schema_string or "").replace('"name":"id"', f'"name":"{name}"')
    with pytest.raises(RowTrackingError):
        transaction.update_metadata(
            type(transaction.metadata)(
                "t",
                schema_string=schema,
                partition_columns=("p",),
                configuration=transaction.metadata.configuration,
            )
        )
