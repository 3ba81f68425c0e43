"""What a feature's behaviour may be capable of: a protocol for each capability, which has the methods that go with it.

    class Sealing(ChecksCommits, ConditionsRows): ...

A class that names a capability must define its methods: Python refuses to make an object of one that does not, and
mypy finds a method with other parameters. An object of any class that has the methods is as good.
`FeatureBehaviour` has all of them, each doing nothing, and its documentation says when each is called.
"""

from __future__ import annotations

from deltaresolver.model.capabilities.commits import AmendsCommits, ChecksCommits, ChecksCommitsWithout
from deltaresolver.model.capabilities.conflicts import (
    FollowsInRemoval,
    FollowsWinners,
    ReconcilesAppends,
    SettlesMetadata,
    ToleratesConfiguration,
    ToleratesSchema,
)
from deltaresolver.model.capabilities.enabling import ChangesApart, ChecksRequests, PreparesEnabling, TagsChanges
from deltaresolver.model.capabilities.metadata import (
    AmendsMetadata,
    ChecksMetadata,
    ClonesMetadata,
    ClustersTables,
    NotesTypeChanges,
    RestoresMetadata,
)
from deltaresolver.model.capabilities.removal import ActsOnRemoval, FindsTraces, FindsTracesInHistory, PreparesRemoval
from deltaresolver.model.capabilities.rows import ConditionsRows, FillsColumns

Capability = (
    ActsOnRemoval
    | AmendsCommits
    | AmendsMetadata
    | ChangesApart
    | ChecksCommits
    | ChecksCommitsWithout
    | ChecksMetadata
    | ChecksRequests
    | ClonesMetadata
    | ClustersTables
    | ConditionsRows
    | FillsColumns
    | FindsTraces
    | FindsTracesInHistory
    | FollowsInRemoval
    | FollowsWinners
    | NotesTypeChanges
    | PreparesEnabling
    | PreparesRemoval
    | ReconcilesAppends
    | RestoresMetadata
    | SettlesMetadata
    | TagsChanges
    | ToleratesConfiguration
    | ToleratesSchema
)
"""Any of them."""

__all__ = [
    "ActsOnRemoval",
    "AmendsCommits",
    "AmendsMetadata",
    "Capability",
    "ChangesApart",
    "ChecksCommits",
    "ChecksCommitsWithout",
    "ChecksMetadata",
    "ChecksRequests",
    "ClonesMetadata",
    "ClustersTables",
    "ConditionsRows",
    "FillsColumns",
    "FindsTraces",
    "FindsTracesInHistory",
    "FollowsInRemoval",
    "FollowsWinners",
    "NotesTypeChanges",
    "PreparesEnabling",
    "PreparesRemoval",
    "ReconcilesAppends",
    "RestoresMetadata",
    "SettlesMetadata",
    "TagsChanges",
    "ToleratesConfiguration",
    "ToleratesSchema",
]
