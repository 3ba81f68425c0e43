"""The kinds of live questions: a generator of cases, delta-spark's answers to them, and the comparison with ours."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs
import msgspec

from deltaresolver.testing.conformance.conflicts import run_conflicts
from deltaresolver.testing.conformance.ddl import run_ddl
from deltaresolver.testing.conformance.report import ConformanceReport
from deltaresolver.testing.conformance.resolver import run_resolver
from tests.peers import record_conflicts, record_ddl, record_resolver
from tests.peers.answering_jvm import Answers
from tests.peers.column_cases import random_column_sequences
from tests.peers.conflict_cases import random_cases
from tests.peers.conflict_others import random_other_writers
from tests.peers.ddl_cases import random_sequences
from tests.peers.related_cases import random_related
from tests.peers.resolver_cases import random_questions
from tests.peers.steered_cases import random_steered
from tests.peers.suite_cases import random_suites
from tests.peers.transition_cases import random_transitions

Json = dict[str, Any]


@attrs.frozen
class Kind:
    """One sort of case. `batch` is after how many what came of them is recorded."""

    cases: Callable[[int, int], Iterator[Json]]
    ask: Callable[[Iterable[Json], Answers], list[Json]]
    run: Callable[[Path], ConformanceReport]
    batch: int
    reached: Callable[[Json], Iterator[str]]
    """The kinds of answers of a case, to see what the cases reach."""


def compare(kind: Kind, asked: list[Json], place: Path | None = None) -> tuple[ConformanceReport, Counter[str]]:
    """Cases with delta-spark's answers beside ours. They stay in the file `place` where one is given."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cases.jsonl") if place is None else place
        with path.open("wb") as lines:
            lines.writelines(msgspec.json.encode(case) + b"\n" for case in asked)
        report = kind.run(path)
    return report, Counter(answer for case in asked for answer in kind.reached(case))


def _answer_of(outcome: Json) -> str:
    return str(outcome.get("condition") or outcome.get("exception") or outcome.get("class") or outcome.get("result"))


def _of_question(case: Json) -> Iterator[str]:
    expected = case["expect"]
    yield f"{case['kind']}: {_answer_of(expected['error']) if 'error' in expected else 'ok'}"


def _of_conflict(case: Json) -> Iterator[str]:
    yield _answer_of(case["outcome"])


def _of_steps(case: Json) -> Iterator[str]:
    yield from (_answer_of(step["outcome"]) for step in case["steps"])


KINDS = {
    "resolver": Kind(random_questions, record_resolver.ask_delta_spark, run_resolver, 20_000, _of_question),
    "conflicts": Kind(random_cases, record_conflicts.ask_delta_spark, run_conflicts, 100, _of_conflict),
    "others": Kind(random_other_writers, record_conflicts.ask_delta_spark, run_conflicts, 100, _of_conflict),
    "ddl": Kind(random_sequences, record_ddl.ask_delta_spark, run_ddl, 20, _of_steps),
    "columns": Kind(random_column_sequences, record_ddl.ask_delta_spark, run_ddl, 20, _of_steps),
    "transitions": Kind(random_transitions, record_ddl.ask_delta_spark, run_ddl, 20, _of_steps),
    "suites": Kind(random_suites, record_ddl.ask_delta_spark, run_ddl, 20, _of_steps),
    "related": Kind(random_related, record_ddl.ask_delta_spark, run_ddl, 20, _of_steps),
    "steered": Kind(random_steered, record_ddl.ask_delta_spark, run_ddl, 20, _of_steps),
}
