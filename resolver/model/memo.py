"""Answers kept by what they depend on, within bounds: what strangers wrote must not fill the memory."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

MOST = 5_000
"""A lake with more kinds of tables has few that are alike."""


class Memo(Generic[T]):
    """Answers by key, at most `most` of them: when there are more, all are forgotten. A key of None is not kept."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._answers: dict[Hashable, T] = {}

    def find(self, key: Hashable | None) -> T | None:
        """The answer kept, if there is one."""
        return None if key is None else self._answers.get(key)

    def keep(self, key: Hashable | None, answer: T) -> T:
        """Keep an answer; it is given back."""
        if key is not None:
            if len(self._answers) >= self._most:
                self._answers.clear()
            self._answers[key] = answer
        return answer
