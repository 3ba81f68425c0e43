"""Values of a wrong type are refused before anything is written: in the log, they would make the table unreadable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deltaresolver.errors import FileActionInvalidError, InvalidInputError, PropertyInvalidError
from deltaresolver.model.actions import (
    Action,
    AddFile,
    ChangeFile,
    DeletionVector,
    DomainMetadata,
    RemoveFile,
    SetTransaction,
)
from deltaresolver.table import Table
from deltaresolver.transaction.operation import write

SCHEMA = '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}'


def added(**fields: Any) -> AddFile:
    return AddFile(**{"path": "a.parquet", "partition_values": {}, "size": 1, "data_change": True, **fields})


ACTIONS: dict[str, Action] = {
    "size as text": added(size="10"),
    "size beyond 64 bits": added(size=2**70),
    "no size": added(size=None),
    "time as a fraction, as st_mtime is": added(modification_time=1.5),
    "statistics as a dictionary": added(stats={"numRecords": 3}),
    "a path of pathlib": added(path=Path("a.parquet")),
    "a partition value as a number": added(partition_values={"day": 3}),
    "tags that are no texts": added(tags={"a": 1}),
    "whether data changes as a number": added(data_change=1),
    "a deletion vector with a text for a number": added(deletion_vector=DeletionVector("u", "abc", "1")),  # type: ignore[arg-type]
    "a removal of a fraction": RemoveFile("a.parquet", deletion_timestamp=1.5),  # type: ignore[arg-type]
    "changes without a size": ChangeFile("c.parquet", {}, size=None),  # type: ignore[arg-type]
    "a transaction's version as text": SetTransaction("app", "1"),  # type: ignore[arg-type]
    "a domain's configuration as a dictionary": DomainMetadata("mine", {"a": 1}),  # type: ignore[arg-type]
}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table.create(tmp_path / "t", SCHEMA, properties={"delta.feature.domainMetadata": "supported"})


def ensure_untouched(tmp_path: Path) -> None:
    again = Table(tmp_path / "t")
    assert again.update().table_version == 0
    assert again.update().files().num_rows == 0


@pytest.mark.parametrize("case", ACTIONS)
def test_an_action_with_a_wrong_type_is_not_committed(table: Table, tmp_path: Path, case: str) -> None:
    with pytest.raises(FileActionInvalidError) as caught:
        table.start_transaction().commit([ACTIONS[case]], write())
    assert caught.value.details["field"].split(".")[0] in caught.value.message
    ensure_untouched(tmp_path)


@pytest.mark.parametrize("value", [True, 3, 1.5, None, ["a"]])
@pytest.mark.parametrize("key", ["mine", "delta.enableDeletionVectors", "delta.logRetentionDuration"])
def test_a_property_that_is_not_text_is_not_set(table: Table, tmp_path: Path, key: str, value: Any) -> None:
    for attempt in (
        lambda: table.alter({key: value}),
        lambda: Table.create(tmp_path / "new", SCHEMA, properties={key: value}),
        lambda: table.clone(tmp_path / "new", properties={key: value}),
    ):
        with pytest.raises(PropertyInvalidError, match=f"^{key} is "):
            attempt()
    ensure_untouched(tmp_path)
    assert not (tmp_path / "new").exists()


def test_a_question_is_answered_in_the_same_way(table: Table) -> None:
    with pytest.raises(PropertyInvalidError, match=r"^delta\.enableDeletionVectors is True"):
        table.resolve({"delta.enableDeletionVectors": True})  # type: ignore[dict-item]


def test_one_text_is_not_taken_for_a_list_of_names(table: Table, tmp_path: Path) -> None:
    table.alter({"mine": "1"})
    with pytest.raises(PropertyInvalidError, match="in a list"):
        table.alter(unset="mine")
    with pytest.raises(PropertyInvalidError, match="in a list"):
        table.alter(add_features="deletionVectors")
    with pytest.raises(PropertyInvalidError, match="mapping"):
        table.alter(["mine"])  # type: ignore[arg-type]
    assert Table(tmp_path / "t").metadata.configuration["mine"] == "1"


@pytest.mark.parametrize("words", [{"name": 3}, {"description": 3}])
def test_names_that_are_not_text_make_no_table(tmp_path: Path, words: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        Table.create(tmp_path / "new", SCHEMA, **words)
    assert not (tmp_path / "new").exists()
