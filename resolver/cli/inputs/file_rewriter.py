"""What writes data files again for commands that need it: PySpark, where it is installed."""

from __future__ import annotations

import importlib.util
from typing import Any


def find_rewriter() -> Any:
    """A `FileRewriter` that starts a session when it is first used; None where PySpark is not installed."""
    if importlib.util.find_spec("pyspark") is None:
        return None
    from deltaresolver.spark import SparkRewriter

    return SparkRewriter()
