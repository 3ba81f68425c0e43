"""A JVM with delta-spark that answers batch after batch, so that only the first one waits for its start."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from tests.peers.scala_program import (
    CONFLICT_ANSWERS,
    DDL_ANSWERS,
    LIVE_ANSWERS,
    LOCAL_SNAPSHOT,
    PLAIN_FILES,
    RESOLVER_ANSWERS,
    compile_scala,
    peer_environment,
    spark_command,
)

Json = dict[str, Any]
Answers = Callable[[str, Iterable[Json]], list[Any]]
"""A program of ours and the questions for it, to its answers in the same order."""

READY, DONE = "peer: ready", "peer: done"
SAME_ORDER_EVERY_RUN = "-XX:+UnlockExperimentalVMOptions -XX:hashCode=2"
"""Gives every object one identity hash, so that sets of features keep the order they were built in."""


def answer_alone(program: str, questions: Iterable[Json]) -> list[Any]:
    """The answers of a JVM that is started for them; the same ones in every run. Raises as `answering_jvm`."""
    with answering_jvm(SAME_ORDER_EVERY_RUN) as answers:
        return answers(program, questions)


@contextmanager
def answering_jvm(jvm_options: str = "") -> Iterator[Answers]:
    """Starts the JVM, which ends with the block.

    Raises PeerUnavailableError where delta-spark cannot run, and RuntimeError where its JVM ends by itself.
    """
    compiled = compile_scala(PLAIN_FILES, RESOLVER_ANSWERS, LOCAL_SNAPSHOT, CONFLICT_ANSWERS, DDL_ANSWERS, LIVE_ANSWERS)
    with tempfile.TemporaryDirectory(prefix="live-") as scratch, Path(scratch, "printed").open("w+b") as printed:
        command = spark_command("LiveAnswers", compiled, scratch, jvm_options)
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=printed, text=True, env=peer_environment()
        )
        try:
            _await(process, READY, printed)
            yield lambda program, questions: _ask(process, program, questions, Path(scratch), printed)
        finally:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            process.wait()
            process.stdout.close()


def _ask(
    process: subprocess.Popen[str], program: str, questions: Iterable[Json], scratch: Path, printed: IO[bytes]
) -> list[Any]:
    asked, answers = scratch / "asked.jsonl", scratch / "answers.jsonl"
    with asked.open("wb") as lines:
        lines.writelines(msgspec.json.encode(question) + b"\n" for question in questions)
    assert process.stdin is not None
    process.stdin.write("\t".join((program, str(asked), str(answers), str(scratch))) + "\n")
    process.stdin.flush()
    _await(process, DONE, printed)
    with answers.open("rb") as lines:
        return [json.loads(line) for line in lines]


def _await(process: subprocess.Popen[str], word: str, printed: IO[bytes]) -> None:
    """Reads what the JVM prints up to a line."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == word:
            return
    printed.seek(0)
    end = printed.read()[-3000:].decode("utf-8", "replace")
    raise RuntimeError(f"The JVM ended with exit code {process.wait()}:\n{end}")
