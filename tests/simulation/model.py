"""The serial model: the log replayed line by line, sharing no code with what it judges."""

from __future__ import annotations

import json
from typing import Any

import attrs

from tests.simulation.work import COUNTER, DOMAIN

Json = dict[str, Any]


@attrs.define(slots=True)
class TableModel:
    """A table after some commits."""

    files: dict[str, str] = attrs.Factory(dict)
    """The partition of each live file, by path."""
    applications: dict[str, int] = attrs.Factory(dict)
    domains: dict[str, str] = attrs.Factory(dict)
    configuration: dict[str, str] = attrs.Factory(dict)

    @property
    def counter(self) -> int:
        """What metadata updates count."""
        return int(self.configuration.get(COUNTER, "0"))

    @property
    def domain_counter(self) -> int:
        """What domain updates count."""
        return int(self.domains.get(DOMAIN, "0"))

    def in_partitions(self, partitions: frozenset[str]) -> frozenset[str]:
        """The live files of some partitions."""
        return frozenset(path for path, partition in self.files.items() if partition in partitions)

    def after(self, actions: list[Json]) -> TableModel:
        """The table after one more commit. Raises `AssertionError` for one that contradicts the table."""
        files, applications, domains = dict(self.files), dict(self.applications), dict(self.domains)
        configuration = self.configuration
        for action in actions:
            ((name, value),) = action.items()
            if name == "remove":
                assert files.pop(value["path"], None) is not None, f"{value['path']} is removed but not there"
            elif name == "add":
                assert value["path"] not in files, f"{value['path']} is added twice"
                files[value["path"]] = value["partitionValues"]["p"]
            elif name == "txn":
                applications[value["appId"]] = value["version"]
            elif name == "domainMetadata":
                domains[value["domain"]] = value["configuration"]
            elif name == "metaData":
                configuration = value["configuration"]
        return TableModel(files, applications, domains, configuration)


def decode(data: bytes) -> list[Json]:
    """The actions of a commit; a torn one does not decode."""
    assert data.endswith((b"\n", b"}")), "a torn commit"
    return [json.loads(line) for line in data.splitlines()]


def replay(commits: list[list[Json]]) -> list[TableModel]:
    """The table after each commit."""
    states: list[TableModel] = []
    for actions in commits:
        states.append((states[-1] if states else TableModel()).after(actions))
    return states
