"""Table properties as statements spell them."""

from __future__ import annotations

from deltaresolver.transaction.ddl.column_definitions import read_list
from deltaresolver.transaction.ddl.token_stream import TokenStream


def read_properties(stream: TokenStream) -> dict[str, str]:
    """`(key = value, ...)`. Raises `StatementUnreadableError`, also for a key that is there twice."""
    pairs = read_list(stream, _read_pair)
    found = dict(pairs)
    if len(found) < len(pairs):
        raise stream.unreadable("one of the keys is there twice")
    return found


def read_keys(stream: TokenStream) -> tuple[str, ...]:
    """`(key, ...)`. Raises `StatementUnreadableError`."""
    return read_list(stream, _read_key)


def _read_pair(stream: TokenStream) -> tuple[str, str]:
    key = _read_key(stream)
    stream.takes("=")
    return key, stream.read_literal()


def _read_key(stream: TokenStream) -> str:
    return stream.read_string() if stream.sees_string else ".".join(stream.read_path())
