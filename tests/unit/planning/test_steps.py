"""Steps in words and commands, and what happens to one that nobody here can carry out."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.errors import PlanStepElsewhereError
from deltaresolver.model import Protocol
from deltaresolver.planning.apply import carry_out
from deltaresolver.planning.steps import Cost, Step, StepKind
from deltaresolver.table import Table
from tests.transactions import SCHEMA

AFTER = Protocol.of(1, 2)
PURGE = Step(StepKind.PURGE, (), Cost(bytes=1_234_567, files=3, steps=1, aborting=1), AFTER, "/lake/events")


def test_a_purge_says_how_much_it_rewrites_and_every_way_to_do_it() -> None:
    assert PURGE.costs == ("rewrites 3 files, 1,234,567 bytes", "concurrent writers abort")
    assert PURGE.sql == ("REORG TABLE delta.`/lake/events` APPLY (PURGE)",)
    assert "'purged', rewriter=ds.SparkRewriter(spark)" in PURGE.python
    assert PURGE.cli == "deltaresolver plan /lake/events --purge --apply"


@pytest.mark.parametrize(("feature", "statements"), [("typeWidening", 2), ("columnMapping", 1)])
def test_spark_is_asked_to_purge_where_its_own_rewrite_would_leave_vectors(feature: str, statements: int) -> None:
    step = Step(StepKind.DROP_REWRITING, (feature,), Cost(bytes=1, files=1, steps=1), AFTER, "t", purges=True)
    assert len(step.sql) == statements
    assert step.sql[-1].startswith("ALTER TABLE delta.t ")
    assert step.sql[-1].endswith(f"DROP FEATURE {feature}")
    assert step.cli == f"deltaresolver plan t --drop-feature {feature} --apply"


def test_without_anybody_who_writes_files_the_statement_is_shown(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", SCHEMA)
    with pytest.raises(PlanStepElsewhereError, match="rewrites 3 files, 1,234,567 bytes, which needs Spark") as caught:
        carry_out(table, PURGE)
    assert "deltaresolver[spark]" in caught.value.fix
    assert caught.value.details["sql"] == list(PURGE.sql)
    assert table.update().table_version == 0
