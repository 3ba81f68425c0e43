"""A table's log and files as they lie on disk, read with the standard library and Arrow alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet as pq


class LogFiles:
    """The table at a path."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    def version(self) -> int:
        """The newest version, -1 without a table."""
        found = [int(file.stem) for file in (self.path / "_delta_log").glob("*.json") if file.stem.isdigit()]
        return max(found, default=-1)

    def actions(self, version: int) -> list[dict[str, Any]]:
        """The actions of a commit."""
        text = (self.path / "_delta_log" / f"{version:020}.json").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line.strip()]

    def metrics(self, version: int) -> dict[str, str]:
        """What the commit says of itself."""
        infos = [action["commitInfo"] for action in self.actions(version) if "commitInfo" in action]
        return dict(infos[0].get("operationMetrics", {})) if infos else {}

    def problems(self, version: int) -> list[str]:
        """What is wrong with the files of a commit: missing ones, and counts that are not those of the file."""
        found = []
        for action in self.actions(version):
            add = action.get("add")
            if add is None:
                continue
            file = self.path / unquote(add["path"]).removeprefix("file:")
            if not file.is_file():
                found.append(f"{add['path']} is not there")
                continue
            rows = pq.read_metadata(file).num_rows
            recorded = json.loads(add.get("stats") or "{}").get("numRecords")
            if recorded != rows:
                found.append(f"{add['path']} has {rows} rows, and numRecords is {recorded}")
            vector = add.get("deletionVector")
            # The library takes a file of a clone's source for whole only by the log, and so leaves it there.
            most = rows if add["path"].startswith("file:") else rows - 1
            if vector is not None and not 0 < vector["cardinality"] <= most:
                found.append(f"{add['path']} has {rows} rows, of which {vector['cardinality']} are deleted")
        return found

    def strangers(self, last: int) -> list[str]:
        """Parquet files that no commit names."""
        named = set()
        for version in range(last + 1):
            for action in self.actions(version):
                named |= {unquote(action[kind]["path"]) for kind in ("add", "cdc") if kind in action}
        here = {file.relative_to(self.path).as_posix() for file in self.path.rglob("*.parquet")}
        return sorted(name for name in here - named if not name.startswith("_delta_log/"))
