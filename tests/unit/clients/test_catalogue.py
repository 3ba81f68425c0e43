"""Naming one release of one client."""

from __future__ import annotations

import pytest

from deltaresolver.clients.client import Client
from deltaresolver.clients.shipped import default_clients
from deltaresolver.errors import ClientVersionUnreadableError, UnknownClientError, UnknownClientPathError


@pytest.mark.parametrize(
    ("spec", "client", "version", "path"),
    [
        ("trino@468", "trino", "468", ""),
        ("delta-rs-python/pyarrow@1.5", "delta-rs-python", "1.5", "pyarrow"),
        ("delta-rs-python@1.5", "delta-rs-python", "1.5", "native"),
        ("delta-rs-python@0.21.0", "delta-rs-python", "0.21.0", "pyarrow"),
        ("polars@1.40.1 (deltalake 1.4.2)", "polars", "1.40.1 (deltalake 1.4.2)", "deltalake"),
        ("Databricks-Runtime@13.3 LTS", "databricks-runtime", "13.3 LTS", ""),
        ("dremio", "dremio", "25.2.0", ""),
    ],
)
def test_a_release_is_named_by_client_path_and_version(spec: str, client: str, version: str, path: str) -> None:
    release = default_clients().parse(spec)
    assert (release.client.id, str(release.version), release.path) == (client, version, path)


def test_an_unknown_client_is_answered_with_the_nearest_names() -> None:
    with pytest.raises(UnknownClientError) as raised:
        default_clients().parse("delta-rs@1.0")
    assert "delta-rs-rust" in raised.value.fix
    assert raised.value.details["client"] == "delta-rs"


def test_a_name_nothing_resembles_points_to_the_list() -> None:
    with pytest.raises(UnknownClientError, match="No client is called 'zzzzzz'") as raised:
        default_clients().get("zzzzzz")
    assert "deltaresolver clients" in raised.value.fix


def test_a_version_of_the_wrong_scheme_is_refused_by_name() -> None:
    with pytest.raises(ClientVersionUnreadableError, match=r"'4\.6\.8' is not a version of trino.*integer scheme"):
        default_clients().parse("trino@4.6.8")


@pytest.mark.parametrize("spec", ["trino@", "trino@ ", "delta-rs-python/native@"])
def test_a_version_that_is_left_out_after_the_sign_is_not_the_newest(spec: str) -> None:
    """As a shell leaves it whose variable is empty."""
    with pytest.raises(ClientVersionUnreadableError, match="is not a version of"):
        default_clients().parse(spec)


def test_an_unknown_path_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownClientPathError, match=r"native, pyarrow"):
        default_clients().parse("delta-rs-python/duckdb@1.0")
    with pytest.raises(UnknownClientPathError, match=r"one way to a table"):
        default_clients().parse("trino/fast@468")


def test_own_clients_join_the_catalogue() -> None:
    joined = default_clients().with_clients([Client("our-loader", "Our loader")])
    assert len(joined) == len(default_clients()) + 1
    assert joined.parse("our-loader").client.name == "Our loader"
    assert "our-loader" not in default_clients()
