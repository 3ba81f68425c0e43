"""`deltaresolver clients`: the list, one release, what is weak, and users' own clients."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.clients import parsing as client_parsing
from deltaresolver.defaults import default_catalog
from deltaresolver.planning import default_clients
from tests.unit.cli.on_terminal import on_terminal, without_colours
from tests.unit.cli.running import run

UNDOCUMENTED = {"measured", "legacy_write_if_unused"}
"""Fields that only the shipped catalogue has a use for."""

OWN = """
[[client]]
id = "our-loader"
knowledge = "inferred"
max_legacy_reader = 1
max_legacy_writer = 2
latest_seen = "2.1.0"
[client.features.deletionVectors]
read = "1.4.0"
write = false
"""


def test_a_release_that_nobody_has_seen_is_marked() -> None:
    assert "caution     9999 is newer than 483, the newest release seen" in run("clients", "trino@9999").out
    assert "caution" not in run("clients", "trino@468").out


def rows_of(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The features of one client, by name."""
    return {row["feature"]: row for row in data["features"]}


def test_every_client_has_one_line_with_its_newest_release_and_how_it_is_known() -> None:
    heading, *lines = run("clients").out.splitlines()
    assert heading.split()[:2] == ["client", "kind"]
    assert [line.split()[0] for line in lines] == [client.id for client in default_clients()]
    trino = next(line for line in lines if line.startswith("trino "))
    assert re.match(r"trino\s+engine\s+\d+\s+yes\s+yes\s+source code\s+integer", trino)


def test_the_list_is_printed_as_json() -> None:
    data = {one["client"]: one for one in run("clients", "--json").data["clients"]}
    assert set(data) == set(default_clients().clients)
    assert data["delta-rs-python"]["paths"] == ["native", "pyarrow"]
    assert (data["snowflake"]["version_scheme"], data["dremio"]["writes"]) == ("date", False)


def test_a_release_is_shown_with_each_feature_its_source_and_how_sure_it_is() -> None:
    data = run("clients", "delta-rs-python@1.5.0", "--json").data
    rows = rows_of(data)
    assert set(rows) == default_catalog().names
    vectors = rows["deletionVectors"]["append"]["used"]
    assert (vectors["outcome"], vectors["evidence"]["rank"]) == ("works", "between two measured versions that agree")
    assert vectors["evidence"]["basis"] == "1.4.0 and 1.5.1 agree"
    assert data["sources"]


def test_text_shows_the_same() -> None:
    told = run("clients", "trino@468").out
    assert re.search(
        r"^deletionVectors\s+works\s+source code: from 427\s+works\s+source code: from 454", told, re.MULTILINE
    )
    assert re.search(r"^rowTracking .*refuses\s+source code: does not write domainMetadata", told, re.MULTILINE)
    assert re.search(r"^source  \S+", told, re.MULTILINE)


def test_weak_claims_are_marked_in_text_and_json() -> None:
    outcome = run("clients", "amazon-emr")
    assert re.search(r"^deletionVectors\s+works ~\s+inferred: from 6\.12\.0", outcome.out, re.MULTILINE)
    assert rows_of(run("clients", "amazon-emr", "--json").data)["deletionVectors"]["read"]["weak"] is True
    assert rows_of(run("clients", "trino@468", "--json").data)["deletionVectors"]["read"]["weak"] is False
    assert re.search(r"^deletionVectors\s+works\s", run("clients", "trino@468").out, re.MULTILINE)


def test_what_goes_silently_wrong_is_listed_first() -> None:
    table = run("clients", "delta-rs-python@0.25.3").out.split("\n\n")[1].splitlines()
    assert table[1].startswith("inCommitTimestamp")
    assert "!! silently wrong" in table[1]


def test_a_path_may_be_named_in_either_way() -> None:
    by_option = run("clients", "delta-rs-python@1.5.0", "--path", "pyarrow", "--json").data
    assert by_option == run("clients", "delta-rs-python/pyarrow@1.5.0", "--json").data
    assert by_option["path"] == "pyarrow"
    assert rows_of(by_option)["deletionVectors"]["read"]["used"]["outcome"] == "refuses"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["trinoo"], "DR701", "Did you mean trino"),
        (["trino@4.68"], "DR702", "integer scheme"),
        (["snowflake@1.2"], "DR702", "date scheme"),
        (["trino", "--path", "jdbc"], "DR704", "no path 'jdbc'"),
        (["--path", "pyarrow"], "DR109", "Name the client"),
        (["trino", "--clients-file", "nowhere.toml"], "DR703", "nowhere.toml cannot be read"),
    ],
)
def test_what_cannot_be_answered_is_reported(arguments: list[str], code: str, told: str) -> None:
    outcome = run("clients", *arguments, "--json")
    assert (outcome.code, outcome.error["code"]) == (2, code)
    assert told in outcome.error["message"] + outcome.error["fix"]


def test_own_clients_are_listed_with_the_others(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN)
    option = ("--clients-file", str(tmp_path / "own.toml"))
    assert {one["client"] for one in run("clients", "--json", *option).data["clients"]} == {
        *default_clients().clients,
        "our-loader",
    }
    told = run("clients", "our-loader@1.5", *option).out
    assert re.search(r"^deletionVectors\s+works ~\s+inferred: from 1\.4\.0\s+refuses ~", told, re.MULTILINE)


def test_the_example_of_the_page_is_a_client(tmp_path: Path, root: Path) -> None:
    page = (root / "docs" / "clients-toml.md").read_text(encoding="utf-8")
    (tmp_path / "own.toml").write_text(re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0])
    data = run("clients", "our-loader@1.5.0", "--clients-file", str(tmp_path / "own.toml"), "--json").data
    rows = rows_of(data)
    assert rows["inCommitTimestamp"]["append"]["used"]["outcome"] == "silently wrong"
    assert (
        rows["deletionVectors"]["read"]["used"]["outcome"],
        rows["deletionVectors"]["append"]["used"]["outcome"],
    ) == (
        "works",
        "refuses",
    )


def test_every_field_of_a_client_is_on_the_page(root: Path) -> None:
    page = (root / "docs" / "clients-toml.md").read_text(encoding="utf-8")
    for key in (*client_parsing._CLIENT_KEYS, *client_parsing._GATE_KEYS, *client_parsing._CLAIM_KEYS - UNDOCUMENTED):
        assert re.search(rf"`{key}\b|^{key} = ", page, re.MULTILINE), key


def test_all_mistakes_of_a_file_are_reported(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        OWN.replace("false", '"no"') + '\n[[client.delegates]]\nclient = "x"\nact = []\n'
    )
    outcome = run("clients", "--clients-file", str(tmp_path / "own.toml"), "--json")
    assert outcome.error["code"] == "DR703"
    problems = "\n".join(outcome.error["details"]["problems"])
    assert "deletionVectors.write: 'no' is not a version" in problems
    assert "unknown key 'act' (did you mean 'acts'?)" in problems


def test_a_delegate_must_exist(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN + '\n[[client.delegates]]\nclient = "nobody"\nacts = ["read"]\n')
    outcome = run("clients", "--clients-file", str(tmp_path / "own.toml"), "--json")
    assert outcome.error["details"]["problems"] == [
        "our-loader: it delegates to 'nobody', and there is no client of this name"
    ]


def test_on_a_terminal_it_fits_and_is_one_screen_wide() -> None:
    for arguments in (("clients",), ("clients", "trino@400"), ("clients", "delta-rs-python@0.25.3")):
        seen = without_colours(on_terminal(*arguments, columns=80)).splitlines()
        # A source is one word, which stays whole so that it can be copied.
        assert max(len(line) for line in seen if len(line.split()) > 1) <= 80
        assert len(seen) > 30
