"""Many expressions or frames put together as one that is not deep.

What is folded from the left nests as deep as there are parts, and the JVM goes through expressions and plans
recursively: some hundred parts overflow its stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")


def balanced(combine: Callable[[T, T], T], parts: Iterable[T]) -> T:
    """All parts in their order, combined by an associative `combine` so that none lies deep. At least one is needed."""
    level = list(parts)
    while len(level) > 1:
        left_over = level[len(level) // 2 * 2 :]
        level = [combine(one, other) for one, other in zip(level[::2], level[1::2], strict=False)] + left_over
    return level[0]


def union(parts: Iterable[DataFrame]) -> DataFrame:
    """The rows of all frames, by the names of their columns."""
    return balanced(lambda one, other: one.unionByName(other), parts)
