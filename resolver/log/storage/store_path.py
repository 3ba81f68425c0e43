"""Paths inside a store: relative to the table's root, forward slashes, taken literally."""

from __future__ import annotations

import re

from deltaresolver.errors import LocationInvalidError

# An empty, `.` or `..` segment anywhere but an empty last one (which asks for a whole folder); a NUL; half of a
# character, unless it stands for a byte of a file name that is not valid UTF-8.
_UNSAFE = re.compile(r"\A/|\A\.{1,2}/|/\.{0,2}/|(?:\A|/)\.{1,2}\Z|[\0\ud800-\udc7f\udd00-\udfff]")


def split_path(path: str) -> tuple[str, str]:
    """The folder ("" for the root) and the name in a store path.

    Raises `LocationInvalidError` for a path that leaves the store or has two spellings: paths also come out of
    logs that somebody else wrote.
    """
    if not is_plainly_safe(path) and _UNSAFE.search(path):
        raise LocationInvalidError(
            f"{path!r} is not a path inside a table: "
            "it is absolute or has a part that is empty, '.', '..' or not valid text.",
            fix="Give a path relative to the table's root.",
            details={"path": path},
        )
    folder, _, name = path.rpartition("/")
    return folder, name


def is_plainly_safe(path: str) -> bool:
    """Whether nothing that `_UNSAFE` looks for can be there: nearly every path, in a tenth of its time."""
    return path[:1] not in "./" and "/." not in path and "//" not in path and "\0" not in path and path.isascii()


def ensure_names_file(path: str) -> None:
    """Raises `LocationInvalidError` like `split_path`, and for a path that ends where the name should be."""
    if not split_path(path)[1]:
        raise LocationInvalidError(
            f"{path!r} names a folder, not a file.", fix="Add the file's name.", details={"path": path}
        )
