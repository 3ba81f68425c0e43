"""Options of a write in any case, and what is refused about them."""

from __future__ import annotations

import pytest

from deltaresolver.errors import WriteOptionError
from deltaresolver.spark.writing.write_options import parse_write_options


def test_options_are_taken_in_any_case() -> None:
    asked = parse_write_options(
        "OVERWRITE",
        "day",
        {"REPLACEWHERE": "id > 1", "mergeschema": True, "maxRecordsPerFile": 7, "delta.appendOnly": True},
        {"delta.checkpointInterval": "5"},
    )
    assert (asked.mode, asked.partition_by, asked.replace_where, asked.merge_schema) == (
        "overwrite",
        ("day",),
        "id > 1",
        True,
    )
    assert asked.properties == {"delta.appendOnly": "true", "delta.checkpointInterval": "5"}
    assert asked.for_files == {"maxRecordsPerFile": "7"}


@pytest.mark.parametrize(
    ("mode", "options", "condition"),
    [
        ("upsert", {}, "INVALID_SAVE_MODE"),
        ("overwrite", {"replaceWher": "x"}, "DELTA_ILLEGAL_OPTION"),
        ("append", {"mergeSchema": "yes"}, "DELTA_ILLEGAL_OPTION"),
        ("append", {"maxRecordsPerFile": "many"}, "DELTA_ILLEGAL_OPTION"),
        ("append", {"txnAppId": "a"}, "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS"),
        ("append", {"txnAppId": "a", "txnVersion": "one"}, "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS"),
        (
            "overwrite",
            {"replaceWhere": "a", "partitionOverwriteMode": "dynamic"},
            "DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE",
        ),
        (
            "overwrite",
            {"overwriteSchema": True, "partitionOverwriteMode": "dynamic"},
            "DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE",
        ),
    ],
)
def test_wrong_modes_and_options_are_refused(mode: str, options: dict[str, object], condition: str) -> None:
    with pytest.raises(WriteOptionError) as refused:
        parse_write_options(mode, (), options)
    assert refused.value.delta_condition == condition
