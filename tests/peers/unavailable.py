"""Why a peer cannot run here."""


class PeerUnavailableError(Exception):
    """A peer cannot be started on this machine; the message says what is missing and how to get it."""
