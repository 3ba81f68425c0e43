"""What a lake.toml may say that nobody named: one that came with a cloned repository is a stranger's."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import attrs

from deltaresolver.errors import LakeFileInvalidError
from deltaresolver.log.storage.strangers_options import ENDPOINTS, SHARED_ENDPOINT, is_harmless, is_only_signed_with
from deltaresolver.planning.lake.lake import FromEnvironment, Lake

OWN_VARIABLES = ("LAKE_", "DELTARESOLVER_")
"""How variables begin that hold secrets for a lake.toml."""
_CHECKS = ("check.enabled", "validation.enabled", "retentionwindowignore.enabled")
"""How session settings end that switch a check off, lowered."""


def as_found(path: Path, lake: Lake) -> Lake:
    """The same, as far as one may go by a file that nobody named. Raises `LakeFileInvalidError`.

    An endpoint in it is S3's alone: to S3 requests are signed, while Azure and Google get a token.
    """
    reason = next(_reasons(path, lake), None)
    if reason is None:
        own = {SHARED_ENDPOINT: f"aws_{SHARED_ENDPOINT}"}
        return attrs.evolve(lake, storage=tuple((own.get(key.lower(), key), value) for key, value in lake.storage))
    raise LakeFileInvalidError(
        f"{path} {reason}.",
        fix=f"If you trust it, name it: --config {path}; or go without: --config none. "
        f"Variables that begin with {' or '.join(OWN_VARIABLES)} may be asked for by any file, to sign requests.",
        details={"path": str(path), "reason": reason},
    )


def _reasons(path: Path, lake: Lake) -> Iterator[str]:
    if _is_strangers(path):
        yield "lies in a folder that everybody may write to, and is somebody else's"
    has_endpoint = any(key.lower() in ENDPOINTS for key, _ in lake.storage)
    for key, value in lake.storage:
        if isinstance(value, FromEnvironment):
            if not value.variable.startswith(OWN_VARIABLES):
                yield f"asks for the variable {value.variable}, and nobody named the file"
            if has_endpoint and not is_only_signed_with(key):
                yield f"sends the variable {value.variable} to a server of its choice, and nobody named the file"
        if not is_harmless(key):
            yield f"sets storage.{key}, by which others could get your tokens or files, and nobody named the file"
    for key, _ in lake.session:
        if key.lower().endswith(_CHECKS):
            yield f"sets session.{key}, which switches a check off, and nobody named the file"


def _is_strangers(path: Path) -> bool:
    if not hasattr(os, "getuid"):
        return False
    is_open = path.parent.stat().st_mode & stat.S_IWOTH
    return bool(is_open) and path.stat().st_uid not in (0, os.getuid())
