"""The checksum of a JSON object that the specification defines for `_last_checkpoint` ("JSON checksum")."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

_IGNORED = "checksum"


def json_checksum(value: Mapping[str, Any]) -> str:
    """The MD5, in hexadecimal, of the canonical form; a `checksum` at the top does not count."""
    return hashlib.md5(canonical_form(value).encode(), usedforsecurity=False).hexdigest()


def canonical_form(value: Mapping[str, Any]) -> str:
    """Every leaf as `path=value`, ordered by path: the same for every spelling of the same object."""
    counted = {key: item for key, item in value.items() if key != _IGNORED}
    leaves = sorted(_leaves(counted, ()), key=lambda leaf: leaf[0].encode())
    return ",".join(f"{path}={text}" for path, text in leaves)


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, (*path, _quoted(key)))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, str(index)))
    else:
        yield "+".join(path), _quoted(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def _quoted(text: str) -> str:
    return f'"{quote(text, safe="")}"'
