"""A table with a feature that is unknown here: the rest of it is explained, and the unknown one is named."""

from __future__ import annotations

import json

import pytest

from tests.transactions import SCHEMA
from tests.unit.cli.running import run

COMMIT = "\n".join(
    json.dumps(action)
    for action in (
        {
            "protocol": {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": ["acmeSealed", "deletionVectors"],
                "writerFeatures": ["acmeSealed", "deletionVectors", "appendOnly"],
            }
        },
        {
            "metaData": {
                "id": "t",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": SCHEMA,
                "partitionColumns": [],
                "configuration": {"delta.enableDeletionVectors": "true"},
            }
        },
    )
)


@pytest.mark.parametrize("command", ["explain", "resolve"])
def test_the_known_part_is_explained(command: str) -> None:
    done = run(command, "-", stdin=COMMIT)
    assert done.code == 0, done.err
    assert "acmeSealed: unknown here" in done.out + done.err
    assert "deletionVectors" in done.out


def test_no_name_is_lost_from_the_protocol() -> None:
    data = run("resolve", "-", "--json", stdin=COMMIT).data
    assert data["protocol"] == data["current"]
    assert "acmeSealed" in data["protocol"]["readerFeatures"]


def test_nothing_is_promised_of_a_change() -> None:
    done = run("resolve", "-", "--json", "--set", "delta.enableRowTracking=true", stdin=COMMIT)
    assert done.error["code"] == "DR201"
