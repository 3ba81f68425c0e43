"""Deleting files of a local table: never through a link, since whoever may write to a table may put one anywhere in it.

The folders on the way are opened one in the other, so that none can be exchanged for a link meanwhile.
"""
# Plain calls of the operating system, because only these refuse links.

from __future__ import annotations

import os

from deltaresolver.errors import LinkedFolderError

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def unlink_inside(root: str, path: str) -> None:
    """Remove the file at `path` below `root`. The root itself may be a link, as whoever named it meant.

    Raises `OSError`; for a folder that is a link with the number ELOOP or ENOTDIR.
    """
    *folders, name = path.split("/")
    current = os.open(root, _FOLDER)
    try:
        for folder in folders:
            inner = os.open(folder, _FOLDER | _NO_LINK, dir_fd=current)
            os.close(current)
            current = inner
        os.unlink(name, dir_fd=current)
    finally:
        os.close(current)


def linked_folder(path: str) -> LinkedFolderError:
    """What deleting through a link raises."""
    return LinkedFolderError(
        f"{path} is not deleted: a folder on the way to it inside the table is a link, and what it leads to may not "
        "belong to the table.",
        fix="Find out who made the link. If it is meant to be there, delete the file yourself.",
        details={"path": path},
    )
