"""SQL on Delta tables: statements read here and carried out by calls of the DataFrame API, all else by Spark.

The package has the name of the function `ds.sql`: whichever of the two is found under it can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class CallableRoom(ModuleType):
    """A package as the function that it is named after."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        """As `deltaresolver.spark.sql.run.sql`."""
        from deltaresolver.spark.sql.run import sql

        return sql(*given, **named)


sys.modules[__name__].__class__ = CallableRoom
