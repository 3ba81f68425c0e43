"""A real server of Azure's blob interface in a process of its own, on loopback: Microsoft's Azurite, from npm.

    with run_azure_server() as server:
        server.make_container("lake")
        open_store("abfss://lake@devstoreaccount1.dfs.core.windows.net/table", server.options)

Azurite keeps everything in memory and knows one account, whose key Microsoft publishes.
"""

from __future__ import annotations

import base64
import contextlib
import datetime as dt
import hashlib
import hmac
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator

import attrs

from tests.conftest import AZURITE

ACCOUNT = "devstoreaccount1"
# Published by Microsoft for every emulator; it opens nothing else.
ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
API_VERSION = "2021-12-02"
START_SECONDS = 60


@attrs.frozen(slots=True)
class AzureServer:
    """A running server and how to reach it."""

    endpoint: str

    @property
    def options(self) -> dict[str, str]:
        """Storage options for `open_store`."""
        return {
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": ACCOUNT_KEY,
            "AZURE_ENDPOINT": self.endpoint,
            "AZURE_ALLOW_HTTP": "true",
        }

    def make_container(self, name: str) -> None:
        """Create an empty container, by a request signed with the account's key."""
        now = dt.datetime.now(dt.UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
        headers = {"x-ms-date": now, "x-ms-version": API_VERSION}
        # The verb, eleven standard headers that are not sent, Azure's own headers, the resource (path-style hosts say
        # the account twice), and the query.
        canonical = [f"{header}:{value}" for header, value in sorted(headers.items())]
        text = "\n".join(["PUT", *[""] * 11, *canonical, f"/{ACCOUNT}/{ACCOUNT}/{name}", "restype:container"])
        digest = hmac.new(base64.b64decode(ACCOUNT_KEY), text.encode(), hashlib.sha256).digest()
        headers["Authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}"
        url = f"{self.endpoint}/{name}?restype=container"
        with urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=headers), timeout=30):
            pass


@contextlib.contextmanager
def run_azure_server() -> Iterator[AzureServer]:
    """Start a server that keeps everything in memory; it ends with the block."""
    port = _free_port()
    command = [shutil.which("node") or "node", str(AZURITE), "--blobHost", "127.0.0.1", "--blobPort", str(port)]
    # A client may speak a newer version of the interface than the server knows of.
    command += ["--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry", "--silent"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _await_port(port, process)
            yield AzureServer(f"http://127.0.0.1:{port}/{ACCOUNT}")
        finally:
            process.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"Azurite ended with code {process.returncode} before it served")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError(f"Azurite did not serve within {START_SECONDS} seconds")
