"""Whether a test may be skipped because a peer is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.peers.unavailable import PeerUnavailableError, peers_must_run


@contextmanager
def skip_or_fail() -> Iterator[None]:
    """Skips the running test when a peer turns out to be unavailable; with CI=true the error passes and fails it."""
    try:
        yield
    except PeerUnavailableError as missing:
        if peers_must_run():
            raise
        pytest.skip(f"the peer cannot run here: {missing}")
