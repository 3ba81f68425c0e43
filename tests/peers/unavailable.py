"""Why a peer cannot run here, and where it has to."""

import os


class PeerUnavailableError(Exception):
    """A peer cannot be started on this machine; the message says what is missing and how to get it."""


def peers_must_run() -> bool:
    """Whether a missing peer is a failure instead of a skip."""
    return os.environ.get("CI", "").lower() == "true"
