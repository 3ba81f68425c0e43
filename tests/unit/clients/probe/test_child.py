"""The process that carries out acts: answers, refusals, crashes, and one that never answers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deltaresolver.clients.probe.child import INSIDE, Child

CLIENT = """
import os, sys, time
sys.path.insert(0, {inside!r})
import run

def versions(): return {{"fake": "1.0"}}
def open(engine, table, file): print("noise on standard output", engine)
def read(engine, table, file): raise ValueError("first line\\nsecond line")
def append(engine, table, file):
    if table.endswith("jvm"):
        said = 'Exception in thread "main" java.lang.Error: no JAR\\n\\tat Main\\nGateway: gone'
        print(said, file=sys.stderr, flush=True)
        os._exit(3)
    if table.endswith("crash"):
        print("the end is near", file=sys.stderr, flush=True)
        os._exit(3)
    time.sleep(60)

sys.modules["fake"] = sys.modules["__main__"]
sys.argv = ["run.py", "fake", "some engine"]
run.main()
"""


@pytest.fixture
def client(tmp_path: Path) -> list[str]:
    script = tmp_path / "client.py"
    script.write_text(CLIENT.format(inside=str(INSIDE)), encoding="utf-8")
    return [sys.executable, str(script)]


def test_acts_are_answered_whatever_the_client_prints(client: list[str], tmp_path: Path) -> None:
    with Child(client, 30) as child:
        assert child.start().versions == {"fake": "1.0"}
        assert child.ask("open", tmp_path, tmp_path).ok
        refused = child.ask("read", tmp_path, tmp_path)
        assert (refused.ok, refused.crashed, refused.error) == (False, False, "ValueError: first line")
        assert child.ask("open", tmp_path, tmp_path).ok


def test_a_crash_is_reported_with_its_last_words_and_the_next_act_is_carried_out(
    client: list[str], tmp_path: Path
) -> None:
    with Child(client, 30) as child:
        crashed = child.ask("append", tmp_path / "crash", tmp_path)
        assert (crashed.crashed, crashed.error) == (True, "the end is near")
        assert child.ask("open", tmp_path, tmp_path).ok


def test_what_a_jvm_ended_with_is_reported_beside_what_python_raised(client: list[str], tmp_path: Path) -> None:
    with Child(client, 30) as child:
        crashed = child.ask("append", tmp_path / "jvm", tmp_path)
        assert crashed.error == 'Gateway: gone Exception in thread "main" java.lang.Error: no JAR'


def test_an_act_that_takes_too_long_is_ended(client: list[str], tmp_path: Path) -> None:
    with Child(client, 0.5) as child:
        late = child.ask("append", tmp_path / "sleep", tmp_path)
        assert (late.crashed, late.error) == (True, "no answer within 0.5 seconds")


def test_a_client_that_cannot_start_is_a_crash(tmp_path: Path) -> None:
    with Child([sys.executable, "-c", "import a_module_that_nobody_has"], 5) as child:
        answer = child.start()
        assert answer.crashed
        assert "a_module_that_nobody_has" in answer.error
