"""The commits of a table as they come, in words that two tables with the same history share."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

Json = dict[str, Any]

_NO_NUMBERS = ("NaN", "Infinity", "-Infinity")
_PHYSICAL = "delta.columnMapping.physicalName"
_MADE_UP = re.compile(r"col-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@attrs.define
class ReadLog:
    """How far a log was read, and what is known from it."""

    version: int = -1
    domains: dict[str, Json] = attrs.field(factory=dict)
    names: dict[str, str] = attrs.field(factory=dict)
    """Columns by the names that were made up for them in files."""
    uncounted: set[str] = attrs.field(factory=set)
    """Columns of arrays and maps: how many of them are null no footer tells."""

    def new_commits(self, table: Path) -> list[list[Json]]:
        """The actions of each version that was not read before."""
        found = []
        while (file := table / "_delta_log" / f"{self.version + 1:020}.json").is_file():
            self.version += 1
            found.append(self._read(file.read_text(encoding="utf-8")))
        return found

    def take(self, other: ReadLog) -> None:
        """The table is a copy of another one from now on."""
        self.version, self.domains, self.names = other.version, dict(other.domains), dict(other.names)
        self.uncounted = set(other.uncounted)

    def _read(self, text: str) -> list[Json]:
        """Without domains that are what they were: delta-spark writes them in overwriting."""
        for line in map(json.loads, text.splitlines()):
            if "metaData" in line:
                schema = json.loads(line["metaData"]["schemaString"])
                self.names |= dict(_made_up_names(schema, ""))
                self.uncounted = {name for field in schema["fields"] if _is_collection(field["type"])
                                  for name in (field["name"], f"<{field['name']}>")}  # fmt: skip
        lines = [json.loads(line) for line in _MADE_UP.sub(lambda one: self.names.get(one[0], "*"), text).splitlines()]
        for line in lines:
            file = line.get("add") or line.get("remove") or {}
            if file.get("stats"):
                file["stats"] = json.dumps(self._comparable(json.loads(file["stats"])))
        domains = {one["domain"]: one for line in lines if (one := line.get("domainMetadata")) is not None}
        same = [one for name, one in domains.items() if one == self.domains.get(name)]
        self.domains |= domains
        return [line for line in lines if line.get("domainMetadata") not in same]

    def _comparable(self, stats: Json) -> Json:
        """Without bounds that are no numbers, which are left out here, and counts that only an engine has.

        Without structs of which no field has a bound, too: delta-spark writes that it has none.
        """
        kept: Json = {
            key: {name: one for name, one in stats[key].items() if one not in _NO_NUMBERS and one != {}}
            for key in ("minValues", "maxValues")
            if key in stats
        }
        if "nullCount" in stats:
            kept["nullCount"] = {name: one for name, one in stats["nullCount"].items() if name not in self.uncounted}
        return stats | kept


def _is_collection(data_type: Any) -> bool:
    return isinstance(data_type, dict) and data_type.get("type") in ("array", "map")


def _made_up_names(of: Any, place: str) -> Iterator[tuple[str, str]]:
    """Every field's name in files with its name for users, through all types."""
    if not isinstance(of, dict):
        return
    for field in of.get("fields", ()):
        name = f"{place}{field['name']}"
        if _PHYSICAL in field.get("metadata", {}):
            yield field["metadata"][_PHYSICAL], f"<{name}>"
        yield from _made_up_names(field["type"], f"{name}.")
    for inner in ("elementType", "keyType", "valueType"):
        yield from _made_up_names(of.get(inner), f"{place}{inner}.")
