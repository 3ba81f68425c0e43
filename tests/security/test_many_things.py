"""As many of everything as a log has room for: no number is refused, and time grows as the log does."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import nasty
from tests.logs import add, metadata
from tests.security.budget import run
from tests.security.tables import commit, log_of

OTHERS = ("resolve", "verify", "history", "impact --set delta.appendOnly=true")
COMMANDS = ("explain", *(pytest.param(one, marks=pytest.mark.slow) for one in OTHERS))
"""One command is enough for the fast tests; each takes a second for each of the six."""
COLUMNS, PROPERTIES, DOMAINS, FEATURES, FILES = 20_000, 100_000, 50_000, 5_000, 20_000
"""As docs/guarantees.md says."""


def names(count: int) -> Iterator[str]:
    return (f"{name}{number}" for number, name in zip(range(count), itertools.cycle(nasty.COLUMN_NAMES), strict=False))


def columns() -> Iterator[dict[str, Any]]:
    fields = [{"name": name, "type": "long", "nullable": True, "metadata": {}} for name in names(COLUMNS)]
    yield {"metaData": {**metadata()["metaData"], "schemaString": json.dumps({"type": "struct", "fields": fields})}}
    yield add("f")


def properties() -> Iterator[dict[str, Any]]:
    yield {"metaData": {**metadata()["metaData"], "configuration": dict.fromkeys(names(PROPERTIES), "v")}}


def domains() -> Iterator[dict[str, Any]]:
    yield {"protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["domainMetadata"]}}
    for name in names(DOMAINS):
        yield {"domainMetadata": {"domain": name, "configuration": "{}", "removed": False}}


def features() -> Iterator[dict[str, Any]]:
    listed = [f"feature{number}" for number in range(FEATURES)]
    yield {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": [], "writerFeatures": listed}}


ACTIONS = {"columns": columns, "properties": properties, "domains": domains, "features": features}
FOLDERS = {"files beside the log": "_delta_log", "sidecars": "_delta_log/_sidecars"}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", [*ACTIONS, *FOLDERS])
def test_time_and_memory_are_bounded(what: str, command: str, tmp_path: Path) -> None:
    log = log_of(tmp_path / "t")
    if what in ACTIONS:
        commit(log, 1, *ACTIONS[what]())
    else:
        folder = tmp_path / "t" / FOLDERS[what]
        folder.mkdir(exist_ok=True)
        for number in range(FILES):
            (folder / f"{number}.parquet").touch()
    first, *rest = command.split()
    run(first, tmp_path / "t", *rest)
