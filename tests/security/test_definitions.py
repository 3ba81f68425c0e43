"""What no writer would evaluate is not accepted by a statement of DDL either."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.errors import DeltaResolverError, TableExpressionRefusedError
from deltaresolver.table import Table
from tests.security.expressions import HOSTILE

SHORT = [text for text in HOSTILE if 0 < len(text) < 200]
TRUSTING = {"deltaresolver.trustTableExpressions": "true"}


@pytest.mark.parametrize("text", SHORT)
def test_no_hostile_constraint_is_added(tmp_path: Path, text: str) -> None:
    table = Table.create(tmp_path / "t", "a INT, b INT, s STRING, arr ARRAY<INT>")
    with pytest.raises(DeltaResolverError):
        table.add_constraint("c", text)
    assert table.update().table_version == 0


@pytest.mark.parametrize("text", SHORT)
@pytest.mark.parametrize("clause", ["DEFAULT", "GENERATED ALWAYS AS"])
def test_no_hostile_column_is_declared(tmp_path: Path, text: str, clause: str) -> None:
    value = f"({text})" if clause != "DEFAULT" else text
    with pytest.raises(DeltaResolverError):
        Table.create(tmp_path / "t", f"a INT, b INT, s STRING, arr ARRAY<INT>, g STRING {clause} {value}")
    assert not (tmp_path / "t" / "_delta_log").exists()


def test_no_hostile_default_is_set(tmp_path: Path) -> None:
    properties = {"delta.feature.allowColumnDefaults": "supported"}
    table = Table.create(tmp_path / "t", "a INT, s STRING", properties=properties)
    with pytest.raises(TableExpressionRefusedError, match="java_method"):
        table.sql("ALTER TABLE t ALTER COLUMN s SET DEFAULT java_method('java.lang.System', 'load', '/x.so')")


def test_hostile_expressions_may_be_added_where_expressions_are_trusted(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", "a INT", session=TRUSTING)
    table.add_constraint("c", "a_function_of_mine(a)")
    assert table.metadata.configuration["delta.constraints.c"] == "a_function_of_mine ( a )"


def test_an_old_expression_does_not_stop_other_statements(tmp_path: Path) -> None:
    Table.create(tmp_path / "t", "a INT", session=TRUSTING).add_constraint("c", "a_function_of_mine(a)")
    table = Table(tmp_path / "t")
    table.sql("ALTER TABLE t ADD COLUMNS (b INT)")
    table.drop_constraint("c")
    assert table.update().table_version == 3
