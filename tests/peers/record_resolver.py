"""Records what the real delta-spark answers to random questions about protocols.

    python -m tests.peers.record_resolver --seed 7 --cases 5000 OUT.jsonl.gz

The same seed and number give the same cases. Which feature an error names, when several are at fault at once, is hash
order in delta-spark and changes from one of its runs to the next; here it is held to the order of declaration.
"""

import argparse
import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.peers.answering_jvm import Answers, answer_alone
from tests.peers.resolver_cases import random_questions

Json = dict[str, Any]


def ask_delta_spark(questions: Iterable[Json], answers: Answers | None = None) -> list[Json]:
    """Each question with delta-spark's answer under `expect`, by default from a JVM of its own.

    Raises PeerUnavailableError where delta-spark cannot run, RuntimeError when its JVM fails.
    """
    asked = list(questions)
    expects = (answers or answer_alone)("ResolverAnswers", asked)
    return [{**question, "expect": expect} for question, expect in zip(asked, expects, strict=True)]


def record(seed: int, count: int) -> list[Json]:
    """`count` new random cases with delta-spark's answers."""
    return ask_delta_spark(random_questions(seed, count))


def write_cases(cases: Iterable[Json], path: Path, *, sort_keys: bool = True) -> None:
    """Writes cases as JSON lines, compressed so that the same cases give the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as packed:
        for case in cases:
            packed.write(json.dumps(case, sort_keys=sort_keys, ensure_ascii=False).encode() + b"\n")


def read_cases(path: Path) -> list[Json]:
    """Reads a recorded file, compressed or not."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return [json.loads(line) for line in text.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description="Record delta-spark's answers to random questions about protocols.")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("output", type=Path)
    chosen = parser.parse_args()
    cases = record(chosen.seed, chosen.cases)
    write_cases(cases, chosen.output)
    failed = sum("error" in case["expect"] for case in cases)
    print(f"{len(cases)} cases recorded, {failed} of them errors: {chosen.output}")


if __name__ == "__main__":
    main()
