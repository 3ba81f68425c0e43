"""History: who did what, and which commit changed the protocol on what account."""

from __future__ import annotations

import json

from deltaresolver.log.history import HistoryEntry
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.protocol_change import ChangedColumn, ChangedProperty
from deltaresolver.model.protocol import Protocol
from tests.logs import PROTOCOL, LogBuilder, add, info, metadata

VECTORS = {
    "protocol": {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["appendOnly", "deletionVectors", "invariants"],
    }
}


def schema(*fields: tuple[str, object]) -> str:
    return json.dumps(
        {
            "type": "struct",
            "fields": [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in fields],
        }
    )


def history(log: LogBuilder, limit: int | None = None) -> list[HistoryEntry]:
    return DeltaLog(log.store).history(limit)


def test_entries_come_newest_first_with_what_the_writer_recorded() -> None:
    log = LogBuilder.started(
        info(operation="CREATE TABLE", operationParameters={"a": "1"}, userName="ada", engineInfo="E/1")
    )
    log.commit(info(operation="WRITE", userId="7", operationParameters={"n": 2}), add("a")).commit(add("b"))
    newest, write, create = history(log)
    assert [entry.table_version for entry in (newest, write, create)] == [2, 1, 0]
    assert (create.operation, create.parameters, create.user, create.engine) == (
        "CREATE TABLE",
        {"a": "1"},
        "ada",
        "E/1",
    )
    assert (write.operation, write.parameters, write.user, write.engine) == ("WRITE", {"n": 2}, "7", None)
    assert (newest.operation, newest.parameters, newest.user, newest.engine) == (None, {}, None, None)


def test_a_limit_keeps_the_newest() -> None:
    log = LogBuilder.started().commits(5)
    assert [entry.table_version for entry in history(log, 2)] == [5, 4]
    assert len(history(log, 100)) == 6


def test_commits_cleaned_up_are_left_out() -> None:
    log = LogBuilder.started().commits(5).checkpoint(3, [PROTOCOL, metadata(), add("a")]).forget(0, 1, 2)
    assert [entry.table_version for entry in history(log)] == [5, 4, 3]


def test_the_commit_that_raised_the_protocol_is_marked_with_property_and_feature() -> None:
    log = LogBuilder.started().commits(1)
    log.commit(info(operation="SET TBLPROPERTIES"), VECTORS, metadata({"delta.enableDeletionVectors": "true"})).commits(
        1
    )
    changes = {entry.table_version: entry.protocol_change for entry in history(log)}
    assert [version for version, change in changes.items() if change is not None] == [2, 0]
    change = changes[2]
    assert change is not None
    assert change.raises
    assert (change.before, change.after.min_writer_version) == (Protocol.of(1, 2), 7)
    assert change.added_features == ("appendOnly", "deletionVectors", "invariants")
    assert change.properties == (ChangedProperty("delta.enableDeletionVectors", None, "true"),)
    assert change.columns == ()
    entry = history(log)[1].to_json()
    assert json.loads(json.dumps(entry)) == entry
    assert entry["protocol_change"]["properties"] == [
        {"key": "delta.enableDeletionVectors", "before": None, "after": "true"}
    ]


def test_the_column_that_raised_the_protocol_is_named() -> None:
    before, after = (
        schema(("id", "long")),
        schema(
            ("id", "long"),
            (
                "at",
                {
                    "type": "struct",
                    "fields": [{"name": "when it was", "type": "timestamp_ntz", "nullable": True, "metadata": {}}],
                },
            ),
        ),
    )
    log = LogBuilder().commit(PROTOCOL, metadata(schema=before)).commit(VECTORS, metadata(schema=after))
    change = history(log)[0].protocol_change
    assert change is not None
    assert change.columns == (
        ChangedColumn("at", None, "struct"),
        ChangedColumn("at.`when it was`", None, "timestamp_ntz"),
    )


def test_the_first_commit_names_what_the_table_started_with() -> None:
    change = history(LogBuilder.started(configuration={"k": "v"}))[0].protocol_change
    assert change is not None
    assert (change.before, change.raises) == (None, False)
    assert change.properties == (ChangedProperty("k", None, "v"),)


def test_a_protocol_written_again_unchanged_is_not_a_change() -> None:
    log = LogBuilder.started().commit(PROTOCOL)
    assert history(log)[0].protocol_change is None


def test_with_a_limit_the_state_before_still_counts() -> None:
    log = LogBuilder.started(configuration={"a": "1"}).commits(3).commit(VECTORS, metadata({"a": "1", "b": "2"}))
    change = history(log, 1)[0].protocol_change
    assert change is not None
    assert change.before == Protocol.of(1, 2)
    assert change.properties == (ChangedProperty("b", None, "2"),)


def test_a_lowered_protocol_is_a_change_that_raises_nothing() -> None:
    log = LogBuilder().commit(VECTORS, metadata({"x": "1"})).commit(PROTOCOL, metadata())
    change = history(log)[0].protocol_change
    assert change is not None
    assert not change.raises
    assert change.removed_features == ("appendOnly", "deletionVectors", "invariants")
    assert change.properties == (ChangedProperty("x", "1", None),)
