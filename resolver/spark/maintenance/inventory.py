"""VACUUM USING INVENTORY: the rows of a DataFrame that lie in the table, for `Table.vacuum`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.transaction.vacuum.inventory import COLUMNS, PATH, ensure_inventory, roots_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def inventory_table(store: LogStore, inventory: DataFrame) -> pa.Table:
    """Its rows inside the table at `store`. Raises `ArgumentInvalidError`."""
    from pyspark.sql import functions
    from pyspark.sql.pandas.types import to_arrow_schema

    ensure_inventory(to_arrow_schema(inventory.schema), store.location)
    path = functions.col(PATH)
    inside = functions.lit(False)
    for root in roots_of(store):
        inside = inside | path.startswith(functions.lit(root))
    return inventory.where(inside).select(*COLUMNS).toArrow()
