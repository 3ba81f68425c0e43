"""Options that a printed command needs to reach a table in an object store, without any secret."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

_SECRET = re.compile("key|secret|token|password|credential|sas|signature", re.IGNORECASE)


def storage_words(location: str | None, storage: Mapping[str, str]) -> str:
    """` --storage endpoint=...` for each option that is not secret; empty for a table on disk.

    Whoever runs the command provides the secrets: by a lake.toml, the environment, or options of their own.
    """
    if location is None or "://" not in location:
        return ""
    shown = (f"{key}={value}" for key, value in sorted(storage.items()) if not _SECRET.search(key))
    return "".join(f" --storage {shlex.quote(word)}" for word in shown)
