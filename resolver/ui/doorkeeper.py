"""Admits only a browser that was opened with the address printed in the terminal.

A server on loopback can be reached by every page that the browser shows and by every user of the machine. So each
request needs the token, in the address at first and in a cookie from then on; a request under another host name (DNS
rebinding) or from another page (its Origin, or a body that a form could send) is refused.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping

import attrs

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Sent with every answer."""


@attrs.frozen(slots=True)
class Doorkeeper:
    """The token of one server and the names it answers to."""

    port: int
    token: str = attrs.field(factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def cookie(self) -> str:
        """The name of its cookie. Browsers share cookies between the ports of a host, so the port is part of it."""
        return f"deltaresolver-{self.port}"

    @property
    def address(self) -> str:
        """The address to open, token and all."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def objection(self, method: str, headers: Mapping[str, str], cookies: Mapping[str, str]) -> str | None:
        """Why a request is refused; None for one that may be answered."""
        if headers.get("host") not in self.hosts:
            return "It was sent to another host name than this server's."
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return "It comes from another page."
        if not self.knows(cookies.get(self.cookie, "")):
            return "Open the address that deltaresolver ui has printed: it holds the token."
        if method == "POST" and headers.get("content-type") != "application/json":
            return "It is not JSON."
        return None

    def knows(self, token: str) -> bool:
        """Whether this is the token, compared in constant time."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    @property
    def hosts(self) -> tuple[str, str]:
        """The names that a request may be sent to, as the Host header has them."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"
