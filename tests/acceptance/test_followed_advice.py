"""Advice is followed blindly: every command that an audit or `explain` prints is run on a copy of its table.

Nobody who was named may lose anything, no command may fail, and each must do what it promised. The real delta-rs
tries the table before and after, on copies of the copy. Drops that wait for
old history are run again, as people do, after days that a clock skips.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import itertools
import json
import shlex
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pytest

from benchmarks.lake_generator import KINDS, generate_lake
from deltaresolver.cli.main import run
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.errors import PropertyInvalidError
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.table import Table
from tests.acceptance.delta_rs_acts import acts_of_delta_rs
from tests.acceptance.random_lake import make_random_lake
from tests.archives import unpack

CLIENTS = (("trino@468", "delta-rs-python@1.6.6", "delta-spark@3.3.0"), ())
PATHS: Mapping[str, Mapping[Act, tuple[str, ...]]] = {
    "trino@468": {Act.READ: ("trino@468",), Act.APPEND: ("trino@468",)},
    "delta-spark@3.3.0": {Act.READ: ("delta-spark@3.3.0",), Act.APPEND: ("delta-spark@3.3.0",)},
    "delta-rs-python@1.6.6": {
        Act.READ: ("delta-rs-python/native@1.6.6", "delta-rs-python/pyarrow@1.6.6"),
        Act.APPEND: ("delta-rs-python/native@1.6.6",),
    },
}
"""What people do with each, written out by hand; Trino, Spark and delta-rs are also what nobody named is judged by."""
DAYS_MS = 9 * 86_400_000
ROUNDS = 6
RECORDED = Path(__file__).parent.parent / "recorded" / "tables.tar.gz"


@attrs.frozen
class Ran:
    """What a command printed, and the code that its error had."""

    code: int
    out: str
    err: str


@attrs.define
class Clock:
    """The machine's clock, and the days that were skipped."""

    skipped_ms: int = 0
    real: Callable[[], int] = time.time_ns

    def time_ns(self) -> int:
        return self.real() + self.skipped_ms * 1_000_000


def cli(*arguments: str) -> Ran:
    """The command line in this process, whose clock the test moves."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = run(list(arguments))
    return Ran(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made-up tables of every kind, real ones of delta-spark, and those of other projects where they are at hand."""
    return make_lake(tmp_path_factory.mktemp("lake"))


def make_lake(folder: Path) -> Path:
    """The same in a folder, for a run that is no test."""
    list(generate_lake(folder / "generated", len(KINDS), broken_every=10_000))
    unpack(RECORDED, folder / "recorded")
    others = Path(__file__).parents[3] / "shared" / "conformance" / "tables.tar.gz"
    if others.is_file():
        unpack(others, folder / "others")
    return folder


def commands_of(table: Mapping[str, Any]) -> Iterator[str | None]:
    """Every command that a report shows for a table."""
    for place in ("next_step", "way_down"):
        yield (table.get(place) or {}).get("command")
    for list_name in ("findings", "features", "blocked"):
        yield from (one.get("command") for one in table.get(list_name, ()))


def writes(command: str) -> bool:
    words = shlex.split(command)
    return words[1] in ("alter", "drop-feature", "sql", "vacuum") or "--apply" in words


def outcomes(location: Path, clients: tuple[str, ...]) -> dict[tuple[str, str, str], Outcome]:
    """What each path of each client does with the table as it lies there; nothing, where its metadata is unreadable."""
    try:
        needs = state_of_table(Table(str(location))).needs
    except PropertyInvalidError:
        return {}
    knowledge = default_knowledge()
    return {
        (name, act.value, path): knowledge.verdict(path, needs, act).outcome
        for name in clients
        for act, paths in PATHS[name].items()
        for path in paths
    }


def promised(words: list[str]) -> Any:
    """The protocol that a command announces."""
    asked = [word for word in words if word not in ("--apply", "--yes")]
    dry = ["--json"] if words[0] == "plan" else ["--dry-run", "--json"]
    answer = json.loads(cli(*asked, *dry).out)
    return answer["after" if words[0] == "plan" else "protocol"]


def follow(command: str, location: str, copy: Path, clock: Clock) -> Ran:
    """Run a command on a copy, again after some days where it has to wait."""
    words = [str(copy) if word == location else word for word in shlex.split(command)[1:]]
    if words[0] == "plan":
        words.append("--yes")
    ran = cli(*words)
    for _ in range(ROUNDS):
        if "DR533" not in ran.err:
            break
        clock.skipped_ms += DAYS_MS
        ran = cli(*words)
    return ran


def is_for_spark(ran: Ran) -> bool:
    """Whether the next step writes data files again, which this test leaves to the tests that start Spark."""
    return "DR706" in ran.err


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that can skip days, on a machine without PySpark."""
    clock = Clock()
    monkeypatch.setattr(time, "time_ns", clock.time_ns)
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "pyspark" else find_spec(name, *more)
    )
    return clock


@pytest.mark.slow
@pytest.mark.parametrize("clients", CLIENTS, ids=["named", "nobody named"])
def test_every_printed_command_does_good_and_no_harm(
    clients: tuple[str, ...], lake: Path, tmp_path: Path, clock: Clock
) -> None:
    seen, wrong = follow_all(lake, clients, tmp_path, clock)
    assert wrong == []
    assert seen["run to the end"] >= (20 if clients else 5)
    assert seen["tried with delta-rs"] >= (40 if clients else 5)
    assert seen["acts of delta-rs that worked before"] >= (40 if clients else 5)


@pytest.mark.slow
@pytest.mark.parametrize("clients", CLIENTS, ids=["named", "nobody named"])
def test_every_command_for_tables_with_random_histories_does_good_and_no_harm(
    clients: tuple[str, ...], tmp_path: Path, clock: Clock
) -> None:
    make_random_lake(tmp_path / "lake", 40)
    seen, wrong = follow_all(tmp_path / "lake", clients, tmp_path, clock)
    assert wrong == []
    assert seen["run to the end"] >= 15


def follow_all(
    lake: Path, clients: tuple[str, ...], tmp_path: Path, clock: Clock
) -> tuple[Counter[str], list[tuple[str, str]]]:
    """Follow every command of every table: what was seen, and what went wrong."""
    document = tmp_path / "audit.json"
    asked = [word for name in clients for word in ("--client", name)]
    cli("audit", str(lake), *asked, "--json", str(document), "--workers", "1")
    seen: Counter[str] = Counter()
    wrong: list[tuple[str, str]] = []
    for table in json.loads(document.read_text())["tables"]:
        location = table["location"]
        found = [*commands_of(table), *explained(location)]
        commands = sorted({one for one in found if one is not None and writes(one)})
        if not commands:
            continue
        judged = clients or tuple(PATHS)
        before, tried = outcomes(Path(location), judged), acts_of_delta_rs(Path(location), tmp_path / "spare")
        for command in commands:
            seen["commands"] += 1
            copy = tmp_path / "copy"
            shutil.copytree(location, copy)
            words = [str(copy) if word == location else word for word in shlex.split(command)[1:]]
            announced = promised(words)
            ran = follow(command, location, copy, clock)
            after = outcomes(copy, judged)
            problem = problem_with(ran, before, after, announced, copy) or not_let_in(ran, words, copy)
            lost = [
                act for act, works in acts_of_delta_rs(copy, tmp_path / "spare").items() if tried[act] and not works
            ]
            seen["tried with delta-rs"] += 1
            seen["acts of delta-rs that worked before"] += sum(tried.values())
            if lost:
                wrong.append((command, f"the real delta-rs cannot {' and '.join(lost)} any more"))
            seen["left to Spark" if is_for_spark(ran) else "run to the end"] += 1
            if problem:
                wrong.append((command, problem))
            shutil.rmtree(copy)
    print(dict(seen))
    return seen, wrong


def not_let_in(ran: Ran, words: list[str], copy: Path) -> str | None:
    """What a client for which a plan was made still cannot do, by all of its paths that are judged here."""
    if words[0] != "plan" or is_for_spark(ran) or ran.code != 0:
        return None
    for word, name in itertools.pairwise(words):
        client, _, act = name.partition(":")
        if word == "--client" and client in PATHS:
            wanted = [Act(act)] if act else [Act.READ, Act.APPEND]
            refused = [
                f"{path} {act}"
                for (_, act, path), outcome in outcomes(copy, (client,)).items()
                if Act(act) in wanted and outcome is not Outcome.WORKS
            ]
            if refused:
                return f"the plan was for {name}, and {', '.join(refused)} does not work"
    return None


@cache
def explained(location: str) -> tuple[str, ...]:
    """The commands in what `explain` prints about a table, which nobody changes here."""
    lines = (line.strip() for line in cli("explain", location).out.splitlines())
    return tuple(line for line in lines if line.startswith("deltaresolver "))


def problem_with(
    ran: Ran,
    before: Mapping[tuple[str, str, str], Outcome],
    after: Mapping[tuple[str, str, str], Outcome],
    announced: Any,
    copy: Path,
) -> str | None:
    for key, was in before.items():
        now = after[key]
        if (was is Outcome.WORKS and now is not Outcome.WORKS) or (
            now is Outcome.SILENTLY_WRONG and was is not Outcome.SILENTLY_WRONG
        ):
            return f"{' '.join(key)}: {was.value} -> {now.value}"
    if is_for_spark(ran):
        return None
    if ran.code != 0:
        return f"exit code {ran.code}: {ran.out[-300:]} {ran.err[-300:]}"
    reached = Table(str(copy)).protocol.to_json()
    return None if reached == announced else f"announced {announced}, reached {reached}"


def test_advice_followed_beside_delta_spark_took_nothing_from_it() -> None:
    record = json.loads((Path(__file__).parent / "followed_by_delta_spark.json").read_text(encoding="utf-8"))
    assert [one["problem"] for one in record if one["problem"]] == []
    assert len({one["table"] for one in record}) >= 40
    worked = [(one, act) for one in record for act, was in one["before"].items() if was is not None]
    assert len(worked) >= 80
    for one, act in worked:
        assert act not in one["after"] or one["after"][act] == one["before"][act], one["command"]
