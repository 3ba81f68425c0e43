"""Hostile tables on disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.logs import metadata

PROTOCOL = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}


def log_of(folder: Path) -> Path:
    """The log's folder of a table of one version below `folder`."""
    log = folder / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    commit(log, 0, PROTOCOL, metadata())
    return log


def commit(log: Path, version: int, *actions: Mapping[str, Any]) -> Path:
    """Write a commit as it is given."""
    file = log / f"{version:020d}.json"
    file.write_text("".join(f"{json.dumps(action)}\n" for action in actions), encoding="utf-8")
    return file
