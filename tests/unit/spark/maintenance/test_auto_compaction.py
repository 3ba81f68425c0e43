"""When auto compaction follows a write, and in which partitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.model.actions import AddFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.maintenance.auto_compaction import (
    ENABLED,
    OLD_PROPERTY,
    PROPERTY,
    AutoCompactSettings,
    chosen_partitions,
    is_wanted,
)
from deltaresolver.spark.maintenance.bins import partition_key

ON = {PROPERTY: "true"}


@pytest.mark.parametrize(
    ("properties", "session", "expected"),
    [
        ({}, {}, False),
        (ON, {}, True),
        ({PROPERTY: "false"}, {}, False),
        ({OLD_PROPERTY: "true"}, {}, True),
        ({OLD_PROPERTY: "true", PROPERTY: "false"}, {}, True),
        (ON, {ENABLED: "false"}, False),
        ({}, {ENABLED: "TRUE"}, True),
    ],
)
def test_the_session_comes_before_the_table(
    properties: dict[str, str], session: dict[str, str], expected: bool
) -> None:
    assert is_wanted(Metadata("t", configuration=properties), session) is expected


@pytest.mark.parametrize(("properties", "session"), [({PROPERTY: "legacy"}, {}), ({}, {ENABLED: "1"})])
def test_other_values_are_refused(properties: dict[str, str], session: dict[str, str]) -> None:
    with pytest.raises(PropertyInvalidError, match="must be true or false"):
        is_wanted(Metadata("t", configuration=properties), session)


def test_settings_of_the_session_decide_when_files_are_compacted() -> None:
    prefix = "spark.databricks.delta.autoCompact."
    assert AutoCompactSettings.of({}) == AutoCompactSettings()
    found = AutoCompactSettings.of({prefix + "maxFileSize": "1000", prefix + "minNumFiles": "3"})
    assert found == AutoCompactSettings(1000, 500, 3)
    with pytest.raises(PropertyInvalidError, match="minNumFiles"):
        AutoCompactSettings.of({prefix + "minNumFiles": "few"})


def file(number: int, partition: str, size: int = 1) -> AddFile:
    return AddFile(f"f{number}", {"p": partition}, size)


files = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([1, 500, 501])), max_size=30).map(
    lambda found: [file(number, *each) for number, each in enumerate(found)]
)


@given(files, st.sets(st.sampled_from("abcd")), st.integers(0, 6), st.integers(1, 3), st.booleans())
def test_only_partitions_with_enough_small_files_are_compacted(
    found: list[AddFile], written: set[str], least: int, most: int, only_modified: bool
) -> None:
    settings = AutoCompactSettings(1000, 500, least, most, only_modified)
    chosen = chosen_partitions(found, [file(99, each) for each in sorted(written)], settings)
    for partition in "abc":
        small = [each for each in found if each.partition_values["p"] == partition and each.size <= 500]
        if partition_key(file(0, partition)) in chosen:
            assert len(small) >= max(least, 2)
            assert partition in written or not only_modified
        elif len(small) >= max(least, 2) and not only_modified:
            raise AssertionError(partition)
    assert len(chosen) <= most or not only_modified
