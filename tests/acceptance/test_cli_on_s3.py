"""The command line on a table in an object store: the same answers as on a local one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deltaresolver.log.storage.locations import open_store
from tests.logs import LogBuilder
from tests.peers.s3_server import S3Server, run_s3_server
from tests.unit.cli.evolving_table import commits, write_evolving_table
from tests.unit.cli.running import Outcome, run

pytestmark = pytest.mark.s3


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with run_s3_server() as server:
        server.make_bucket("lake")
        yield server


@pytest.fixture(scope="module")
def location(server: S3Server) -> str:
    log = LogBuilder(open_store("s3://lake/events", server.options))
    for actions in commits():
        log.commit(*actions)
    return "s3://lake/events"


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_evolving_table(tmp_path_factory.mktemp("local") / "events"))


@pytest.fixture
def options(server: S3Server) -> tuple[str, ...]:
    return tuple(part for pair in server.options.items() for part in ("--storage", "=".join(pair)))


def without_times(outcome: Outcome) -> list[dict[str, object]]:
    return [
        {key: value for key, value in commit.items() if not key.startswith("time")}
        for commit in outcome.data["commits"]
    ]


def test_history_answers_as_on_a_local_table(location: str, local: str, options: tuple[str, ...]) -> None:
    outcome = run("history", location, *options, "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.data["table"] == location
    assert without_times(outcome) == without_times(run("history", local, "--json"))
    assert len(run("history", location, *options, "--limit", "2").out.splitlines()) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ("resolve", "--set", "delta.enableDeletionVectors=true"),
        ("explain", "--set", "delta.enableDeletionVectors=true"),
        ("impact", "--add-feature", "deletionVectors", "--client", "dremio", "--require", "trino@468:read"),
    ],
)
def test_every_other_command_answers_as_on_a_local_table(
    arguments: tuple[str, ...], location: str, local: str, options: tuple[str, ...]
) -> None:
    name, *more = arguments
    outcome = run(name, location, *more, *options, "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.data == run(name, local, *more, "--json").data


def test_sql_names_the_table_by_its_location(location: str, options: tuple[str, ...]) -> None:
    assert f"ALTER TABLE delta.`{location}` " in run("explain", location, *options).out


def test_options_may_come_from_the_environment(location: str, server: S3Server) -> None:
    assert run("history", location, "--json", env=server.options).code == 0


def test_what_does_not_exist_is_reported(options: tuple[str, ...]) -> None:
    outcome = run("history", "s3://lake/nothing", *options, "--json")
    assert (outcome.code, outcome.error["code"]) == (2, "DR410")


def test_an_unknown_option_is_reported(location: str, server: S3Server) -> None:
    outcome = run("history", location, "--storage", "aws_regoin=x", "--json", env=server.options)
    assert (outcome.code, outcome.error["code"]) == (2, "DR409")
