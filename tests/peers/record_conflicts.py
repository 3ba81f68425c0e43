"""Records what the real delta-spark makes of random conflicts: one transaction against the commits that won before it.

    python -m tests.peers.record_conflicts --seed 7 --cases 1000 OUT.jsonl.gz

The same seed and number give the same cases. The transaction is delta-spark's own OptimisticTransaction, with winners
landing after its reads and after each of its conflict checks.
"""

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.peers.answering_jvm import Answers, answer_alone
from tests.peers.conflict_cases import random_cases
from tests.peers.conflict_tables import FAR_FUTURE
from tests.peers.record_resolver import write_cases

Json = dict[str, Any]


def ask_delta_spark(cases: Iterable[Json], answers: Answers | None = None) -> list[Json]:
    """Each case with delta-spark's outcome under `outcome`, by default from a JVM of its own; without those below.

    Raises PeerUnavailableError where delta-spark cannot run, RuntimeError when its JVM fails.
    """
    asked = list(cases)
    outcomes = (answers or answer_alone)("ConflictAnswers", asked)
    answered = [{**case, "outcome": outcome} for case, outcome in zip(asked, outcomes, strict=True)]
    return [case for case in answered if not _depends_on_clock(case["outcome"]) and not _is_of_spark(case["outcome"])]


def _is_of_spark(outcome: Json) -> bool:
    """Whether Spark failed to evaluate a condition: a strict cast that overflows, a division by nothing."""
    return not (outcome.get("condition") or "DELTA_").startswith("DELTA_")


def _depends_on_clock(outcome: Json) -> bool:
    """Whether the commit carries the time it was made."""
    infos = (line["commitInfo"] for line in outcome.get("commit", ()) if "commitInfo" in line)
    return any(info.get("inCommitTimestamp", FAR_FUTURE) < FAR_FUTURE for info in infos)


def main() -> None:
    parser = argparse.ArgumentParser(description="Record what delta-spark makes of random conflicts.")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("output", type=Path)
    chosen = parser.parse_args()
    cases = ask_delta_spark(random_cases(chosen.seed, chosen.cases))
    write_cases(cases, chosen.output, sort_keys=False)
    print(f"{len(cases)} cases recorded: {chosen.output}")
    for answer, count in Counter(_answer(case["outcome"]) for case in cases).most_common():
        print(f"{count:6} {answer}")


def _answer(outcome: Json) -> str:
    return str(outcome.get("condition") or outcome.get("exception") or outcome["result"])


if __name__ == "__main__":
    main()
