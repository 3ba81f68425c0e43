"""Clients that packages declare: checked like those of a file, and named with who declares them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from deltaresolver.clients.installed import with_declared_clients
from deltaresolver.clients.shipped import shipped_clients
from deltaresolver.errors import ClientCatalogueInvalidError
from deltaresolver.plugins import Plugin, PluginSource, hookimpl

LOADER = {"id": "our-loader", "latest_seen": "2.3", "features": {"deletionVectors": {"read": "2.1", "write": False}}}


def declaring(answer: Any, package: str = "acme") -> Plugin:
    @hookimpl
    def delta_client() -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    return Plugin(SimpleNamespace(delta_client=delta_client), PluginSource("clients", package))


def test_a_declared_client_is_known_with_who_declares_it() -> None:
    catalogue = with_declared_clients(shipped_clients(), [declaring([LOADER])])
    assert catalogue.get("our-loader").sources == ("plugin clients of package acme",)
    assert len(catalogue) == len(shipped_clients()) + 1


def test_the_order_of_plugins_does_not_matter() -> None:
    plugins = [declaring(LOADER), declaring(LOADER | {"id": "other"}, "other")]
    one, other = (with_declared_clients(shipped_clients(), order) for order in (plugins, plugins[::-1]))
    assert [(client.id, client.sources) for client in one] == [(client.id, client.sources) for client in other]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (LOADER | {"latest": "2"}, "did you mean 'latest_seen'?"),
        (LOADER | {"features": {"deletionVector": {"read": True}}}, "did you mean deletionVectors?"),
        (LOADER | {"id": "trino"}, "there is such a client already"),
        ([LOADER, LOADER], "there is such a client already"),
        (LOADER | {"delegates": [{"client": "nobody", "acts": ["read"]}]}, "and there is no client of this name"),
        (ValueError("no network"), "raised ValueError: no network"),
        (7, "returned int"),
    ],
)
def test_what_is_wrong_is_reported_with_the_package(answer: Any, said: str) -> None:
    with pytest.raises(ClientCatalogueInvalidError) as caught:
        with_declared_clients(shipped_clients(), [declaring(answer)])
    assert said in caught.value.message
    assert caught.value.fix


def test_the_problems_of_all_packages_are_reported_at_once() -> None:
    plugins = [declaring(LOADER | {"latest": "2"}, "one"), declaring(7, "two")]
    with pytest.raises(ClientCatalogueInvalidError, match=r"package one.*package two|package two.*package one"):
        with_declared_clients(shipped_clients(), plugins)
