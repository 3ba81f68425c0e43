"""Folders to a bucket and back by plain requests: a process that is to be forked must not load a client of stores."""

from __future__ import annotations

import re
import urllib.parse
import urllib.request
from html import unescape
from pathlib import Path

import attrs

_NAMED = "AWS4-HMAC-SHA256 Credential=testing/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none"


@attrs.frozen
class Bucket:
    """A bucket of a server on this machine."""

    endpoint: str
    name: str

    def upload(self, folder: Path, prefix: str) -> None:
        """Every file below the folder."""
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self._ask("PUT", f"{prefix}/{file.relative_to(folder).as_posix()}", file.read_bytes())

    def download(self, prefix: str, folder: Path) -> None:
        """Every object below the prefix."""
        token = ""
        while True:
            query = {"list-type": "2", "prefix": f"{prefix}/"}
            query |= {"continuation-token": token} if token else {}
            listing = self._ask("GET", "", query=query).decode()
            for key in map(unescape, re.findall(r"<Key>(.*?)</Key>", listing)):
                file = folder / key.removeprefix(f"{prefix}/")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(self._ask("GET", key))
            more = re.search(r"<NextContinuationToken>(.*?)</NextContinuationToken>", listing)
            if more is None:
                return
            token = unescape(more[1])

    def _ask(self, method: str, key: str, data: bytes | None = None, query: dict[str, str] | None = None) -> bytes:
        address = f"{self.endpoint}/{self.name}/{urllib.parse.quote(key)}"
        address += f"?{urllib.parse.urlencode(query)}" if query else ""
        # Of a form, moto would wait for more; whose name it is, it looks at, and at no signature.
        headers = {"Content-Type": "application/octet-stream", "Authorization": _NAMED}
        request = urllib.request.Request(address, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return bytes(answer.read())
