"""A few commands of an audit followed beside the real delta-spark, and what the long run over all of them came to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.followed_by_delta_spark import follow_beside, printed
from tests.archives import unpack
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]

RECORDED_RUN = Path(__file__).parent / "followed_by_delta_spark.json"
TABLES = ("V2_checkpoint", "type_widening", "deletion_vectors")


@pytest.mark.peer
def test_delta_spark_does_afterwards_what_it_did_before(small_delta_spark: DeltaSpark, tmp_path: Path) -> None:
    recorded = Path(__file__).parent.parent / "recorded" / "tables.tar.gz"
    unpack(recorded, tmp_path / "all")
    lake = tmp_path / "lake"
    lake.mkdir()
    for found in (tmp_path / "all").rglob("_delta_log"):
        if found.parent.name in TABLES:
            found.parent.rename(lake / found.parent.name)
    followed = [
        follow_beside(small_delta_spark, table, command, tmp_path / "spare")
        for table, command in printed(lake, tmp_path)
    ]
    assert len(followed) >= len(TABLES)
    assert all(one.before["read"] for one in followed)
    assert [one for one in followed if one.problem] == []


def test_the_long_run_found_no_harm() -> None:
    run = json.loads(RECORDED_RUN.read_text(encoding="utf-8"))
    assert [one for one in run if one["problem"]] == []
    able = [one for one in run if one["before"]["read"] is not None or one["before"]["append"] is not None]
    assert len(able) >= 40
