"""The guard of a lake.toml: no commit may take an act from a client that it requires for the table."""

from __future__ import annotations

import os
from functools import lru_cache

from deltaresolver.clients.own_clients import knowledge_with
from deltaresolver.errors import LakeFileMissingError
from deltaresolver.planning.kept_clients import KeepClients
from deltaresolver.planning.lake.lake import Lake
from deltaresolver.planning.lake.read_lake import read_lake
from deltaresolver.transaction.policies import Proposal


def check_with_lake(config: str, proposal: Proposal) -> None:
    """Raise `PolicyRefusedError`, or an error of reading the file: with an unreadable guard nothing is committed."""
    lake = _lake(config, _changed_at(config))
    keeping(lake, proposal.location).check(proposal)


def keeping(lake: Lake, location: str) -> KeepClients:
    """The commit policy of a table."""
    required = lake.required_texts(lake.place(location))
    return KeepClients(required, knowledge_with(lake.clients_files), named_in=lake.path)


@lru_cache(maxsize=4)
def _lake(config: str, changed_at: int) -> Lake:  # noqa: ARG001 - a file that was changed is read again
    return read_lake(config)


def _changed_at(config: str) -> int:
    try:
        return os.stat(config).st_mtime_ns  # noqa: PTH116 - asked before each commit
    except OSError as error:
        raise LakeFileMissingError(
            f"{config} cannot be read: {error.strerror}.",
            fix="Set DELTARESOLVER_CONFIG to the path of a lake.toml, or to none.",
            details={"path": config},
        ) from error
