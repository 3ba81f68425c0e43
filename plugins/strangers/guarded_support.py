"""The functions of a feature's support, called through the guard with frozen values; their answers are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.support import ReadAs, Support, Task
from deltaresolver.plugins.guard import PluginSource, call, failed


@attrs.frozen(slots=True)
class GuardedAnswer:
    """A function of metadata whose answer is checked by `is_fit`; `expected` describes a right one in messages."""

    function: Callable[..., Any]
    source: PluginSource
    what: str
    is_fit: Callable[[object], bool]
    expected: str

    def __call__(self, metadata: Metadata, *more: Any) -> Any:
        answer = call(self.source, self.what, self.function, metadata.sealed(), *more)
        if not self.is_fit(answer):
            raise failed(self.source, self.what, f"returned {type(answer).__name__}, not {self.expected}")
        return answer


def guarded_support(support: Support, source: PluginSource, feature: str) -> Support:
    """The same support; when a function fails or returns an unexpected value, the error names `source`."""
    changed: dict[str, Any] = {}
    for task in Task:
        stated = support.of(task)
        where = f"support.{task.value} of {feature}"
        if isinstance(stated, ReadAs):
            changed[task.value] = _guarded_reading(stated, source, where)
        elif callable(stated):
            changed[task.value] = GuardedAnswer(stated, source, where, _is_reason, "a text or None")
    return attrs.evolve(support, **changed) if changed else support


def _guarded_reading(stated: ReadAs, source: PluginSource, where: str) -> ReadAs:
    files = stated.files
    return ReadAs(
        GuardedAnswer(stated.columns, source, f"{where} (columns)", _are_expressions, "texts by the names of columns"),
        GuardedAnswer(stated.rows, source, f"{where} (rows)", _is_reason, "a text or None"),
        None if files is None else GuardedAnswer(files, source, f"{where} (files)", _is_bool, "True or False"),
    )


def _is_reason(answer: object) -> bool:
    return answer is None or isinstance(answer, str)


def _is_bool(answer: object) -> bool:
    return isinstance(answer, bool)


def _are_expressions(answer: object) -> bool:
    return isinstance(answer, Mapping) and all(isinstance(one, str) for item in answer.items() for one in item)
