"""What Spark does not take for a condition, `format("deltaresolver")` does not either: Arrow makes one of a number."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.errors import SourceRuleUnsupportedError
from deltaresolver.spark.source.batch.write_plan import plan_write
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import parse_source_options
from deltaresolver.table import Table
from tests.nasty import NO_CONDITIONS


@pytest.mark.parametrize("condition", NO_CONDITIONS)
def test_a_replace_where_that_is_not_a_condition_replaces_nothing(tmp_path: Path, condition: str) -> None:
    table = Table.create(tmp_path / "t", "k BIGINT, c STRING")
    options = parse_source_options({"path": str(tmp_path / "t"), "replaceWhere": condition})
    with pytest.raises(SourceRuleUnsupportedError, match="cannot evaluate"):
        plan_write(options, SourceSettings(), table.update().metadata.schema, "overwrite", {})
