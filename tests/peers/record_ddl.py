"""Records what the real delta-spark makes of random SQL sequences: the table after each statement, or the error.

    python -m tests.peers.record_ddl --seed 7 --cases 300 OUT.jsonl.gz
    python -m tests.peers.record_ddl --about columns --seed 7 --cases 60 OUT.jsonl.gz

About properties and features, about columns, constraints and clustering, or about the life of a protocol. The same
seed and number give the same sequences.
"""

import argparse
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any

from tests.peers.answering_jvm import Answers, answer_alone
from tests.peers.column_cases import random_column_sequences
from tests.peers.ddl_cases import random_sequences
from tests.peers.record_resolver import write_cases
from tests.peers.transition_cases import random_transitions

Json = dict[str, Any]

GENERATORS = {"properties": random_sequences, "columns": random_column_sequences, "transitions": random_transitions}


def ask_delta_spark(sequences: Iterable[Json], answers: Answers | None = None) -> list[Json]:
    """Each sequence with outcome and table in its steps, by default from a JVM of its own.

    A sequence ends before a step such as those below. Raises PeerUnavailableError where delta-spark cannot run,
    RuntimeError when its JVM fails.
    """
    asked = list(sequences)
    answered = (answers or answer_alone)("DdlAnswers", asked)
    told = [list(takewhile(lambda step: not _tells_nothing(step), steps)) for steps in answered]
    return [{**sequence, "steps": steps} for sequence, steps in zip(asked, told, strict=True) if steps]


def _tells_nothing(step: Json) -> bool:
    """Whether a hash map chose which of several properties is at fault, or the answer is not of Delta.

    That is: of Spark's catalog, or of a class that is missing (Hudi's) beside these JARs.
    """
    is_ambiguous = step["outcome"]["result"] == "error" and step["sql"].count("'='") > 1
    if step["outcome"].get("condition") == "INTERNAL_ERROR":
        return True
    is_managed = any("unreadable" in state for state in step["tables"].values())
    return is_ambiguous or is_managed or "'path'=" in step["sql"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Record what delta-spark makes of random SQL sequences.")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--about", choices=tuple(GENERATORS), default="properties")
    parser.add_argument("output", type=Path)
    chosen = parser.parse_args()
    sequences = ask_delta_spark(GENERATORS[chosen.about](chosen.seed, chosen.cases))
    write_cases(sequences, chosen.output, sort_keys=False)
    print(f"{len(sequences)} sequences recorded: {chosen.output}")


if __name__ == "__main__":
    main()
