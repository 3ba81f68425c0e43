"""Two readings of conditions over partition values agree for all that generators make; else nothing goes."""

from __future__ import annotations

import datetime
import json
import random

import pytest

from deltaresolver.errors import PartitionReadingError
from deltaresolver.expressions.conditions import PartitionJudge
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.reading.select_files import judged_parts
from deltaresolver.spark.source.batch.partition_readings import ensure_readings_agree
from tests.differential.conditions import Conditions
from tests.differential.program import Column, Value
from tests.differential.tables import PARTITION_TYPES, draw_pool

DELTA = {"STRING": "string", "INT": "integer", "DATE": "date", "TIMESTAMP": "timestamp", "BOOLEAN": "boolean"}
DELTA |= {"TIMESTAMP_NTZ": "timestamp_ntz", "DECIMAL(10,2)": "decimal(10,2)", "DOUBLE": "double"}
KINDS = tuple(dict.fromkeys(PARTITION_TYPES))


def metadata_of(columns: list[Column]) -> Metadata:
    fields = [{"name": each.name, "type": DELTA[each.type], "nullable": True, "metadata": {}} for each in columns]
    names = tuple(column.name for column in columns)
    return Metadata(id="t", schema_string=json.dumps({"type": "struct", "fields": fields}), partition_columns=names)


def text_of(value: Value, kind: str) -> str | None:
    """As the log has it; moments in UTC."""
    if value is None or kind != "TIMESTAMP":
        return None if value is None or value == "" else str(value).lower() if kind == "BOOLEAN" else str(value)
    return datetime.datetime.fromisoformat(str(value)).isoformat(timespec="microseconds") + "Z"


@pytest.mark.parametrize("kind", KINDS)
def test_both_readings_agree(kind: str) -> None:
    chance = random.Random(kind)
    for _ in range(60):
        columns = [Column("_p", kind), Column("q", chance.choice(KINDS))]
        pools = {column.name: draw_pool(chance, column, is_partition=True) for column in columns}
        values = [(one, other) for one in pools["_p"] for other in pools["q"]]
        partitions = [
            {column.name: text_of(value, column.type) for column, value in zip(columns, row, strict=True)}
            for row in values
        ]
        condition = Conditions(chance, columns, pools).draw()
        metadata = metadata_of(columns)
        for zone in ("UTC", "America/New_York"):
            ensure_readings_agree(judged_parts(condition, metadata, zone), metadata, partitions, zone, "/t")


@pytest.mark.parametrize(("asked", "answer"), [("surely_holds", True), ("may_hold", False)])
def test_a_partition_of_two_readings_is_shown(asked: str, answer: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = metadata_of([Column("p", "STRING")])
    judged = judged_parts("p = 'b'", metadata, "UTC")
    monkeypatch.setattr(PartitionJudge, asked, lambda *_: answer)
    with pytest.raises(PartitionReadingError, match=r"p='[ab]' of /t") as caught:
        ensure_readings_agree(judged, metadata, [{"p": "a"}, {"p": "b"}], "UTC", "/t")
    assert json.dumps(caught.value.details)
