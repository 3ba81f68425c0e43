"""Texts for people and files, without the keys, passwords, signatures and tokens that URLs may hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

HIDDEN = "***"
_USER = r"(?<=:/)(/+)[^/\s:@'\"]+:(?!\d+/)[^\s@'\"]+(?=@)"
_PARAMETER = (
    r"(?<=[?&;])((?:sig|signature|password|pwd|awsaccesskeyid|x-(?:amz|goog)-(?:signature|credential|security-token)"
    r"|[a-z0-9_-]*(?:token|secret|apikey|accountkey|accesskey|access_key|sharedaccesssignature))=)[^&;\s'\"]+"
)
_KEY_ID = r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"


def redacted(text: str) -> str:
    """The text with stars for what stands in it as a secret does."""
    if "=" in text:
        text = re.sub(_PARAMETER, rf"\1{HIDDEN}", text, flags=re.IGNORECASE)
    if "://" in text:
        text = re.sub(_USER, rf"\1{HIDDEN}", text)
    if "AKIA" in text or "ASIA" in text:
        text = re.sub(_KEY_ID, HIDDEN, text)
    return text


def redacted_data(value: Any) -> Any:
    """The same for every text in lists and dictionaries."""
    if isinstance(value, str):
        return redacted(value)
    kind = type(value)
    if kind is list:
        return [redacted_data(each) for each in value]
    if kind is dict or isinstance(value, Mapping):  # `dict` first: asking an abstract class costs ten times as much
        return {key: redacted_data(each) for key, each in value.items()}
    return value
