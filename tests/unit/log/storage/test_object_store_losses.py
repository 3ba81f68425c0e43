"""A conditional put over a network that loses requests and answers: no commit is lost or taken for another's."""

from __future__ import annotations

import os
from collections.abc import Iterator

import attrs
import pytest

from deltaresolver.errors import (
    PutOutcomeUnknownError,
    StorageAccessDeniedError,
    StorageUnavailableError,
    StoredFileExistsError,
)
from deltaresolver.log.storage import conditional_put
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.log_store import LogStore
from tests.peers.lossy_proxy import Fate, LossyProxy, run_lossy_proxy
from tests.peers.s3_server import S3Server, run_s3_server

pytestmark = pytest.mark.s3

COMMIT = "_delta_log/00000000000000000007.json"
MINE = b'{"commitInfo":{"txnId":"mine"}}'
OTHERS = b'{"commitInfo":{"txnId":"others"}}'
RETRIES = 3


@attrs.frozen(slots=True)
class Network:
    """One table, reached directly and through a proxy."""

    proxy: LossyProxy
    store: LogStore
    direct: LogStore


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with run_s3_server() as server:
        server.make_bucket("lake")
        yield server


@pytest.fixture
def network(server: S3Server, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Network]:
    monkeypatch.setattr(conditional_put, "FIRST_PAUSE", 0.01)
    url = f"s3://lake/{request.node.name}".replace("[", "-").replace("]", "")
    with run_lossy_proxy(server.endpoint) as proxy:
        options = server.options | {"AWS_ENDPOINT_URL": proxy.endpoint, "max_retries": str(RETRIES)}
        yield Network(proxy, open_store(url, options), open_store(url, server.options))


@pytest.mark.parametrize("fate", list(Fate))
def test_one_mishap_is_survived(network: Network, fate: Fate) -> None:
    network.proxy.plan("PUT", fate)
    if fate is Fate.FORBID:
        with pytest.raises(StorageAccessDeniedError):
            network.store.put_if_absent(COMMIT, MINE)
        return
    network.store.put_if_absent(COMMIT, MINE)
    assert network.direct.read(COMMIT) == MINE
    with pytest.raises(StoredFileExistsError):
        network.store.put_if_absent(COMMIT, MINE)


@pytest.mark.parametrize("fate", [Fate.LOSE_ANSWER, Fate.FAIL_AFTER])
def test_an_answer_lost_again_and_again_is_survived(network: Network, fate: Fate) -> None:
    network.proxy.plan("PUT", *[fate] * 3)
    network.proxy.plan("GET", Fate.LOSE_ANSWER, Fate.SLOW_DOWN)
    network.store.put_if_absent(COMMIT, MINE)
    assert network.direct.read(COMMIT) == MINE


@pytest.mark.parametrize("fate", [each for each in Fate if each is not Fate.FORBID])
def test_another_commit_is_never_taken_for_our_own(network: Network, fate: Fate) -> None:
    network.direct.put_if_absent(COMMIT, OTHERS)
    network.proxy.plan("PUT", fate)
    with pytest.raises(StoredFileExistsError):
        network.store.put_if_absent(COMMIT, MINE)
    assert network.direct.read(COMMIT) == OTHERS


@pytest.mark.parametrize("fate", [Fate.DELIVER, Fate.CONFLICT, Fate.SLOW_DOWN])
def test_equal_bytes_count_as_ours_only_if_ours_may_have_arrived(network: Network, fate: Fate) -> None:
    """A 503 says nothing certain about arrival; a plain answer and a 409 say that ours was turned away."""
    network.direct.put_if_absent(COMMIT, MINE)
    network.proxy.plan("PUT", fate)
    if fate is Fate.SLOW_DOWN:
        network.store.put_if_absent(COMMIT, MINE)
    else:
        with pytest.raises(StoredFileExistsError):
            network.store.put_if_absent(COMMIT, MINE)


def test_a_race_that_nobody_wins_may_be_tried_again(network: Network) -> None:
    network.proxy.plan("PUT", *[Fate.CONFLICT] * (RETRIES + 1))
    with pytest.raises(StorageUnavailableError) as raised:
        network.store.put_if_absent(COMMIT, MINE)
    assert raised.value.retryable
    network.store.put_if_absent(COMMIT, MINE)


def test_an_outcome_that_nobody_can_learn_is_reported_as_unknown(network: Network) -> None:
    network.proxy.plan("PUT", *[Fate.LOSE_ANSWER] * (RETRIES + 1))
    network.proxy.plan("GET", *[Fate.LOSE_ANSWER] * (RETRIES + 1))
    with pytest.raises(PutOutcomeUnknownError) as raised:
        network.store.put_if_absent(COMMIT, MINE)
    assert network.store.location in raised.value.message
    assert network.direct.read(COMMIT) == MINE  # it had arrived, indeed


def test_a_refusal_after_a_lost_answer_is_unknown_too(network: Network) -> None:
    network.proxy.plan("PUT", Fate.LOSE_ANSWER, Fate.FORBID)
    network.proxy.plan("GET", Fate.LOSE_ANSWER)
    with pytest.raises(PutOutcomeUnknownError):
        network.store.put_if_absent(COMMIT, MINE)


def test_a_server_that_is_gone_was_never_reached(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditional_put, "FIRST_PAUSE", 0.01)
    with run_lossy_proxy(server.endpoint) as proxy:
        endpoint = proxy.endpoint
    store = open_store("s3://lake/x", server.options | {"AWS_ENDPOINT_URL": endpoint, "max_retries": "1"})
    for call in (lambda: store.put_if_absent(COMMIT, MINE), lambda: store.read(COMMIT)):
        with pytest.raises(StorageUnavailableError) as raised:
            call()
        assert raised.value.retryable
        assert "endpoint" in raised.value.fix


def test_missing_credentials_are_not_taken_for_a_network_failure(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any the client asks the machine it runs on, which the proxy plays here, and which has none to give."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    options = {"AWS_METADATA_ENDPOINT": network.proxy.endpoint, "AWS_ALLOW_HTTP": "true", "max_retries": "0"}
    store = open_store("s3://lake/x", options)
    for call in (lambda: store.put_if_absent(COMMIT, MINE), lambda: store.read(COMMIT)):
        network.proxy.plan("PUT", Fate.FORBID)
        with pytest.raises(StorageAccessDeniedError) as raised:
            call()
        assert "Give credentials" in raised.value.fix


def test_a_put_is_sent_once_when_all_goes_well(network: Network) -> None:
    network.store.put_if_absent(COMMIT, MINE)
    with pytest.raises(StoredFileExistsError):
        network.store.put_if_absent(COMMIT, OTHERS)
    assert network.proxy.requests == ["PUT", "PUT"]
