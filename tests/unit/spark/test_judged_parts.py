"""What partition values can judge of a condition: a file may only go where nothing is left unjudged."""

from __future__ import annotations

import json

import pytest

from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.reading.select_files import judged_parts

FIELDS = [
    {"name": "c", "type": "string", "nullable": True, "metadata": {"__CHAR_VARCHAR_TYPE_STRING": "char(4)"}},
    {"name": "p", "type": "string", "nullable": True, "metadata": {}},
    {"name": "v", "type": "long", "nullable": True, "metadata": {}},
]
METADATA = Metadata(
    id="t", schema_string=json.dumps({"type": "struct", "fields": FIELDS}), partition_columns=("c", "p")
)


@pytest.mark.parametrize(
    ("condition", "holds", "texts"),
    [
        ("p = 'x'", True, ["p = 'x'"]),
        ("p = 'y'", False, ["p = 'y'"]),
        ("p = 'x' AND v > 1", False, ["p = 'x'", "v > 1"]),
        ("c = 'bb'", False, ["true"]),
        ("p = 'x' AND c = 'bb'", False, ["p = 'x'", "true"]),
        ("true", True, ["true"]),
    ],
)
def test_a_file_is_removed_whole_only_by_a_condition_that_is_judged_whole(
    condition: str, holds: bool, texts: list[str]
) -> None:
    judged = judged_parts(condition, METADATA, "UTC")
    assert judged.surely_holds({"c": "bb  ", "p": "x"}) is holds
    assert [text.lower() if text.lower() == "true" else text for text in judged.texts_read] == texts
