"""SET and UNSET TBLPROPERTIES: where a change needs files under other names, Spark writes them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import FeatureInUseError
from deltaresolver.model.facts.keys import MAPPING_MODE
from deltaresolver.planning.apply import without_use
from deltaresolver.planning.drops import rewriting
from deltaresolver.spark.maintenance.file_rewriting import SparkRewriter
from deltaresolver.spark.row_checks import row_check
from deltaresolver.transaction.ddl.statements import AlterProperties

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.log.snapshot import Snapshot
    from deltaresolver.model.metadata import Metadata
    from deltaresolver.table import Table

_MAPPING = "columnMapping"


def alter_properties(spark: SparkSession, table: Table, statement: AlterProperties) -> None:
    """Set and unset properties; column mapping that is taken away goes with the files that hold it, in one commit.

    Raises what `Table.carry_out` and `SparkRewriter.rewrite` raise.
    """
    check = row_check(spark, table.log.store.location)
    try:
        table.carry_out(statement, row_check=check)
    except FeatureInUseError as error:
        if error.details.get("feature") != _MAPPING:
            raise
    else:
        return
    mode = {key: value for key, value in statement.to_set.items() if key.lower() == MAPPING_MODE.lower()}

    def unmapped(snapshot: Snapshot) -> Metadata:
        metadata = without_use(table, _MAPPING, snapshot)
        return metadata.with_configuration({**metadata.configuration, **({MAPPING_MODE: "none"} if mode else {})})

    SparkRewriter(spark).rewrite(table, unmapped, rewriting(table.catalog, _MAPPING))
    others = {key: value for key, value in statement.to_set.items() if key not in mode}
    unset = tuple(key for key in statement.to_unset if key.lower() != MAPPING_MODE.lower())
    if others or unset:
        table.carry_out(attrs.evolve(statement, to_set=others, to_unset=unset), row_check=check)
