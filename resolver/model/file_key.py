"""Paths of files in the log: which of them name the same file, and what the storage calls it."""

from __future__ import annotations

import re
from urllib.parse import unquote

FileKey = tuple[str, str | None]
"""Canonical path, and the deletion vector's unique id if there is one."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:(?=/)")
_NEEDS_NORMALIZING = re.compile(r"//|(?:^|/)\.\.?(?:/|$)")


def canonical_path(path: str) -> str:
    """One spelling for each file: `/a`, `file:/a` and `file:///a` become `file:/a`; `x/./y` becomes `x/y`.

    Works on the URI-encoded path as the log stores it and changes no escape. Relative paths stay
    relative. A colon that does not end a scheme is taken as part of a name.
    """
    if ":" not in path and "/." not in path and "//" not in path and path[:1] not in "/.":
        # As nearly all are spelt, and this is asked of every file of a log.
        return path
    match = _SCHEME.match(path)
    if match is None:
        plain = _normalize(path)
        if plain.startswith("/"):
            return "file:" + plain
        return plain if _SCHEME.match(plain) is None else "./" + plain
    scheme, rest = match.group(), path[match.end() :]
    if not rest.startswith("//"):
        return _lowered(scheme) + _normalize(rest)
    authority, slash, below = rest[2:].partition("/")
    place = "" if _lowered(scheme) == "file:" and not authority else f"//{authority}"
    return _lowered(scheme) + place + _normalize(slash + below)


def decoded(path: str) -> str:
    """A path of the log without its escapes; bytes that are not UTF-8 stay as Python names such files."""
    return unquote(path, errors="surrogateescape")


def path_in_table(logged_path: str) -> str:
    """What the table's store calls a file, where it lies in the table; else its absolute path."""
    return decoded(canonical_path(logged_path)).removeprefix("./")


def _lowered(scheme: str) -> str:
    return "file:" if scheme.lower() == "file:" else scheme


def _normalize(path: str) -> str:
    """Drop empty and `.` segments and resolve `..`, as RFC 3986 does; a leading `..` stays."""
    if _NEEDS_NORMALIZING.search(path) is None:
        return path
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment in ("", "."):
            continue
        if segment == ".." and kept and kept[-1] != "..":
            kept.pop()
        else:
            kept.append(segment)
    folder = "/" if segments[-1] in ("", ".", "..") and kept else ""
    return ("/" if path.startswith("/") else "") + "/".join(kept) + folder


def deletion_vector_id(storage_type: str, path_or_inline: str, offset: int | None) -> str:
    """The unique id of a deletion vector, as the protocol derives it."""
    return storage_type + path_or_inline if offset is None else f"{storage_type}{path_or_inline}@{offset}"
