"""Why a peer cannot run here, and whether a test may skip because of it."""

import os


class PeerUnavailableError(Exception):
    """A peer cannot be started on this machine; the message says what is missing and how to get it."""


def peers_must_run() -> bool:
    """True where a missing peer is a failure instead of a skip (CI=true)."""
    return os.environ.get("CI", "").strip().lower() in {"true", "1"}
