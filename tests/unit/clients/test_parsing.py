"""Clients from data: shapes, and all mistakes at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.clients.client import Client, SupportedReleases
from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.parsing import parse_clients
from deltaresolver.clients.shipped import default_clients, load_clients_toml
from deltaresolver.clients.versions import VersionScheme
from deltaresolver.errors import ClientCatalogueInvalidError

TOML = """
[[client]]
id = "our-loader"
name = "Our nightly loader"
knowledge = "source"
closed_list = true
max_legacy_reader = 1
max_legacy_writer = 2
latest_seen = "2.1.0"

[client.table_features_since]
reader = "1.4.0"
writer = "2.0.0"

[client.features.deletionVectors]
read = "1.4.0"
write = false

[[client.gates]]
acts = ["append"]
demands = ["uses:inCommitTimestamp"]
outcome = "silently wrong"
until = "1.9.9"
why = "commits lack their timestamp"
"""


def test_a_toml_file_gives_clients(tmp_path: Path) -> None:
    (tmp_path / "clients.toml").write_text(TOML)
    (client,) = load_clients_toml(tmp_path / "clients.toml")
    assert client.id == "our-loader"
    assert client.scheme is VersionScheme.SEMVER
    assert client.knowledge is Rank.SOURCE
    assert client.closed_list
    assert client.features["deletionVectors"].write == SupportedReleases(never=True)
    (gate,) = client.gates
    assert (gate.acts, gate.outcome) == (frozenset({Act.APPEND}), Outcome.SILENTLY_WRONG)
    assert client.version("1.9.9") in gate.versions
    assert client.version("2.0.0") not in gate.versions


def test_broken_toml_is_reported_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "clients.toml").write_text("[[client]\n")
    with pytest.raises(ClientCatalogueInvalidError, match=r"clients\.toml is not TOML.*line 1"):
        load_clients_toml(tmp_path / "clients.toml")


def test_all_problems_are_reported_together() -> None:
    broken: list[Any] = [
        {"id": "a@b"},
        "no table",
        {
            "id": "c",
            "scheme": "roman",
            "knowledge": "hearsay",
            "colour": "red",
            "max_legacy_reader": "two",
            "latest_seen": 1.5,
            "legacy_history": [{"from": "2.0.0"}, {"from": "1.0.0"}],
            "features": {"x": {"read": "soon", "wrote": True}, "y": 3, "z": {"read": "1.0.0", "read_gap": "2.0.0"}},
            "gates": [{"acts": ["delete"], "outcome": "explodes", "from": "2.0.0", "until": "1.0.0"}],
            "delegates": [{"acts": ["read"], "client": "d", "target_act": "peek"}],
        },
        {"id": "c"},
    ]
    with pytest.raises(ClientCatalogueInvalidError) as raised:
        parse_clients(broken, "a test")
    problems = "\n".join(raised.value.details["problems"])
    for expected in (
        "entry 1: id must be a name",
        "entry 2: id must be a name",
        "c scheme: 'roman'",
        "found 'hearsay'",
        "unknown key 'colour'",
        "c max_legacy_reader: must be a whole number",
        "c latest_seen: must be a version in quotes",
        "c legacy_history: is not in order",
        "c x.read: 'soon' is not a version",
        "unknown key 'wrote'",
        "c y: must be a table of claims",
        "gap must be written FIRST..LAST",
        "acts must name some of open, read, append, found ['delete']",
        "outcome must be one of works, unknown, refuses, silently wrong, found 'explodes'",
        "2.0.0 comes after 1.0.0",
        "'peek' is not an act",
        "c: listed twice",
    ):
        assert expected in problems
    assert str(len(raised.value.details["problems"])) in raised.value.message


def test_support_is_not_monotone() -> None:
    (client,) = parse_clients(
        [
            {
                "id": "x",
                "features": {
                    "gap": {"write": "3.3.0", "write_gap": "2.4.0..3.2.1"},
                    "lost": {"read": "1.3.3", "read_until": "1.4.0"},
                    "both": {"read": "1.0.0", "read_gap": "1.6.0..1.6.2"},
                },
            }
        ],
        "a test",
    )

    def at(feature: str, side: str, version: str) -> bool:
        support: SupportedReleases = getattr(client.features[feature], side)
        return support.at(client.version(version))

    assert [at("gap", "write", version) for version in ("2.3.0", "2.4.0", "3.2.1", "3.3.0")] == [
        True,
        False,
        False,
        True,
    ]
    assert [at("lost", "read", version) for version in ("1.3.2", "1.3.3", "1.4.0", "1.6.0")] == [
        False,
        True,
        True,
        False,
    ]
    assert [at("both", "read", version) for version in ("1.5.0", "1.6.1", "1.6.3")] == [True, False, True]


def test_weak_claims_stay_marked() -> None:
    emr = default_clients().get("amazon-emr")
    assert all(claim.derived and claim.rank(emr.knowledge) is Rank.INFERRED for claim in emr.features.values())
    athena = default_clients().get("amazon-athena").features["deletionVectors"]
    assert athena.read is None
    assert athena.is_weak


def test_every_collected_claim_is_shipped(shared: Path) -> None:
    facts = json.loads((shared / "facts" / "clients.json").read_text(encoding="utf-8"))["clients"]
    clients = default_clients()
    assert {fact["id"] for fact in facts} <= {client.id for client in clients}
    for fact in facts:
        claims = clients.get(fact["id"]).features
        assert set(claims) >= set(fact["features"])
        for feature, said in fact["features"].items():
            assert claims[feature].note == said.get("note", "")
            assert claims[feature].derived is said.get("derived", False)
            assert (claims[feature].read is None) is (said["read"] is None)
            assert (claims[feature].write is None) is (said["write"] is None)


def test_the_shipped_rules_are_whole() -> None:
    clients = default_clients()
    for client in clients:
        for delegation in client.delegations:
            assert delegation.client in clients
        for gate in client.gates:
            assert gate.acts
            assert gate.path in ("", *client.paths)
            assert gate.why


# --- files people write -----------------------------------------------------------------------------

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.sampled_from(["", "1.0", "x..y"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["read", "from", "acts"]), inner),
    max_leaves=6,
)
KEYS = ("name", "kind", "scheme", "knowledge", "paths", "path_since", "features", "closed_list", "only_reads")
MORE_KEYS = ("legacy_history", "max_legacy_reader", "table_features_since", "gates", "delegates", "latest_seen")


@given(st.dictionaries(st.sampled_from((*KEYS, *MORE_KEYS, "sources", "notes")), ANYTHING))
def test_any_value_in_a_field_gives_a_client_or_a_list_of_problems(fields: dict[str, Any]) -> None:
    problems: list[str] = []
    clients: tuple[Client, ...] = ()
    try:
        clients = parse_clients([{"id": "c", **fields}], "a test")
    except ClientCatalogueInvalidError as error:
        problems = error.details["problems"]
    assert [client.id for client in clients] == ([] if problems else ["c"])
    assert all(problem.startswith("c ") for problem in problems)


def problems_in(tmp_path: Path, text: str) -> str:
    file = tmp_path / "clients.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ClientCatalogueInvalidError) as raised:
        load_clients_toml(file)
    return "\n".join(raised.value.details["problems"])


def test_all_problems_of_a_file_are_reported_also_those_outside_of_clients(tmp_path: Path) -> None:
    told = problems_in(
        tmp_path,
        """
        [[clients]]
        [[client]]
        id = "c"
        closed_list = "false"
        [client.features.deletionVector]
        read = true
        [[client.gates]]
        acts = []
        demands = ["use:deletionVectors", "column mapping by ids"]
        outcome = "fails"
        """,
    )
    assert "unknown key 'clients'" in told
    assert "c closed_list: must be true or false, found 'false'" in told
    assert "c deletionVector: there is no feature of this name; did you mean deletionVectors?" in told
    assert "no table demands 'use:deletionVectors'" in told
    assert "did you mean 'column mapping by id'?" in told
    assert "acts must name some of open, read, append, found []" in told
    assert "outcome must be one of works, unknown, refuses, silently wrong, found 'fails'" in told


@pytest.mark.parametrize("text", ["", "client = 5", "[client]\nid = 'c'", "[[cleint]]\nid = 'c'"])
def test_a_file_without_clients_is_reported(tmp_path: Path, text: str) -> None:
    assert "there is no [[client]] table" in problems_in(tmp_path, text)
