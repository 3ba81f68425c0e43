"""`history` and `impact` on real tables of other projects: an answer or an error of this library, never a crash."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.archives import unpack
from tests.unit.cli.running import Outcome, run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    unpack(shared / "conformance" / "tables.tar.gz", folder)
    return next(folder.rglob("index.json")).parent


def names_of(corpus: Path) -> list[str]:
    return sorted(path.name for path in (corpus / "tables").iterdir() if path.is_dir())


def is_told(outcome: Outcome) -> bool:
    """Whether it worked, or failed with a code that is not for accidents."""
    return outcome.code == 0 or (outcome.code == 2 and outcome.error["code"] not in ("DR999", "DR109"))


def test_history_describes_every_table(corpus: Path) -> None:
    for name in names_of(corpus):
        outcome = run("history", str(corpus / "tables" / name), "--json")
        assert is_told(outcome), (name, outcome)


def test_the_newest_protocol_of_history_is_that_of_the_table(corpus: Path) -> None:
    compared = 0
    for name in names_of(corpus):
        outcome = run("history", str(corpus / "tables" / name), "--protocol-changes", "--json")
        now = run("resolve", str(corpus / "tables" / name), "--json")
        if outcome.code == 0 and now.code == 0 and outcome.data["commits"]:
            assert outcome.data["commits"][0]["protocol_change"]["after"] == now.data["current"], name
            compared += 1
    assert compared > 100


def test_impact_without_a_change_finds_no_losses_and_no_gains(corpus: Path) -> None:
    answered = 0
    for name in names_of(corpus):
        outcome = run("impact", str(corpus / "tables" / name), "--client", "trino@468", "--client", "dremio", "--json")
        assert is_told(outcome), (name, outcome)
        if outcome.code == 0 and not outcome.data["changed"]:
            assert (outcome.data["losses"], outcome.data["gains"]) == ([], []), (name, json.dumps(outcome.data))
            answered += 1
    assert answered > 100
