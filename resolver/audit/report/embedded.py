"""Data inside the page: JSON, compressed, as text that no markup can break out of."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder()


def packed(value: Any) -> str:
    """The value as base64 of gzip of JSON; `unpacked` in report.js is the way back."""
    # No time in the header: the same audit gives the same bytes.
    return base64.b64encode(gzip.compress(_encoder.encode(value), compresslevel=6, mtime=0)).decode("ascii")
