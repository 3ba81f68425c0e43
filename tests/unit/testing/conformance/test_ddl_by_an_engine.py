"""What an engine's statements may leave otherwise than recorded, and what not."""

from __future__ import annotations

from typing import Any

import pytest

from deltaresolver.testing.conformance.known.choices import CLUSTERING_STAYS
from deltaresolver.testing.conformance.known.ddl import known_difference

OVERWRITE = "INSERT OVERWRITE {table} VALUES (1)"
CLUSTERED = [
    f"{OVERWRITE}: clustering columns ['id'], recorded []",
    f"{OVERWRITE}: commit 2 actions ['add', 'commitInfo'], recorded ['add', 'commitInfo', 'domainMetadata']",
    f"{OVERWRITE}: commit 2 domains [], recorded [{{'domain': 'delta.clustering', 'removed': False}}]",
]
DROP = "ALTER TABLE {table} DROP FEATURE typeWidening"
IN_ONE_COMMIT = [
    f"{DROP}: version 8, recorded 10",
    (
        f"{DROP}: properties {{'delta.requireCheckpointProtectionBeforeVersion': '8'}}, "
        "recorded {'delta.requireCheckpointProtectionBeforeVersion': '10'}"
    ),
    f"{DROP}: commit 4 operation REORG, recorded UNSET TBLPROPERTIES",
]


def step(sql: str) -> dict[str, Any]:
    return {"sql": sql, "outcome": {"result": "ok"}, "tables": {}}


def test_a_table_stays_clustered_where_its_rows_are_overwritten() -> None:
    assert known_difference(step(OVERWRITE), CLUSTERED) == CLUSTERING_STAYS


@pytest.mark.parametrize(
    ("sql", "differences"),
    [
        (OVERWRITE, [*CLUSTERED, f"{OVERWRITE}: version 2, recorded 3"]),
        (OVERWRITE, [f"{OVERWRITE}: clustering columns ['id'], recorded ['v']"]),
        ("DELETE FROM {table}", CLUSTERED),
        (DROP, [*IN_ONE_COMMIT, f"{DROP}: protocol {{}}, recorded {{'minReaderVersion': 1}}"]),
        (DROP, IN_ONE_COMMIT[:2]),
        (OVERWRITE, []),
    ],
)
def test_anything_else_beside_it_is_a_difference(sql: str, differences: list[str]) -> None:
    assert known_difference(step(sql), differences) is None


def test_files_and_notes_of_types_go_in_one_commit() -> None:
    reason = known_difference(step(DROP), IN_ONE_COMMIT)
    assert reason is not None
    assert "in one commit" in reason
