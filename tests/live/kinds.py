"""What can be asked live: a generator of cases, delta-spark's answers to them, and the comparison with ours."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.testing.conformance.conflicts import run_conflicts
from deltaresolver.testing.conformance.ddl import run_ddl
from deltaresolver.testing.conformance.report import ConformanceReport
from deltaresolver.testing.conformance.resolver import run_resolver
from tests.peers import record_conflicts, record_ddl, record_resolver
from tests.peers.column_cases import random_column_sequences
from tests.peers.conflict_cases import random_cases
from tests.peers.ddl_cases import random_sequences
from tests.peers.record_resolver import write_cases
from tests.peers.resolver_cases import random_questions

Json = dict[str, Any]


@attrs.frozen
class Kind:
    """One sort of case. `batch` is how many one JVM answers before what came of them is recorded."""

    cases: Callable[[int, int], Iterator[Json]]
    ask: Callable[[Iterable[Json]], list[Json]]
    run: Callable[[Path], ConformanceReport]
    batch: int
    answers: Callable[[Json], Iterator[str]]
    """The kinds of answers of a case, to see what the cases reach."""


def compare(kind: Kind, seed: int, count: int, scratch: Path | None = None) -> tuple[ConformanceReport, Counter[str]]:
    """`count` new cases of a seed, answered by both. The cases stay in `scratch` where one is given.

    Raises PeerUnavailableError where delta-spark cannot run.
    """
    asked = kind.ask(kind.cases(seed, count))
    with tempfile.TemporaryDirectory() as folder:
        path = (folder if scratch is None else scratch) / Path(f"{seed}.jsonl.gz")
        write_cases(asked, path, sort_keys=False)
        report = kind.run(path)
    return report, Counter(answer for case in asked for answer in kind.answers(case))


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
    "conflicts": Kind(random_cases, record_conflicts.ask_delta_spark, run_conflicts, 300, _of_conflict),
    "ddl": Kind(random_sequences, record_ddl.ask_delta_spark, run_ddl, 60, _of_steps),
    "columns": Kind(random_column_sequences, record_ddl.ask_delta_spark, run_ddl, 60, _of_steps),
}
