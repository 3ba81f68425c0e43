"""Facts about a table beyond its protocol and metadata."""

from __future__ import annotations

import enum

import attrs

from deltaresolver.model.facts.keys import CHANGE_DATA_FEED, DELETION_VECTORS
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol


class CheckpointForm(enum.Enum):
    """The form of the newest checkpoint."""

    NONE = "none"
    CLASSIC = "classic"
    V2_JSON = "V2 with a JSON top level"
    V2_PARQUET = "V2 with a Parquet top level"

    @property
    def is_v2(self) -> bool:
        """Whether only clients that know V2 checkpoints can read it."""
        return self in (CheckpointForm.V2_JSON, CheckpointForm.V2_PARQUET)


@attrs.frozen(slots=True, cache_hash=True)
class TableFacts:
    """Facts that protocol and metadata do not show. None means not known.

    An unknown fact counts as the more demanding one that the metadata allows: a table with deletion vectors
    enabled counts as having some, so that a verdict never promises too much.

    deletion_vectors     whether any file has a deletion vector
    change_files         whether the log names change data files
    checkpoint           the form of the newest checkpoint
    commits_cleaned      whether commits before the checkpoint are gone
    domains              names of the domains with metadata
    partition_columns    whether data files hold the partition columns too
    """

    deletion_vectors: bool | None = None
    change_files: bool | None = None
    checkpoint: CheckpointForm | None = None
    commits_cleaned: bool | None = None
    domains: frozenset[str] | None = None
    partition_columns: bool | None = None


NOTHING_KNOWN = TableFacts()


def facts_after(facts: TableFacts, before: Protocol, after: Protocol, was: Metadata, will_be: Metadata) -> TableFacts:
    """The facts that still hold after a change of protocol and metadata.

    A new feature may bring checkpoints or domains of its own. A property that is enabled brings deletion
    vectors, or change data files, with the next DELETE: such a fact is no longer known, even if there are none yet.
    """
    if _switched_on(DELETION_VECTORS, was, will_be):
        facts = attrs.evolve(facts, deletion_vectors=None)
    if _switched_on(CHANGE_DATA_FEED, was, will_be):
        facts = attrs.evolve(facts, change_files=None)
    if "v2Checkpoint" in after.listed_features and facts.checkpoint in (CheckpointForm.NONE, CheckpointForm.CLASSIC):
        facts = attrs.evolve(facts, checkpoint=None, commits_cleaned=None)
    if after.listed_features != before.listed_features:
        facts = attrs.evolve(facts, domains=None)
    return facts


def _switched_on(key: str, was: Metadata, will_be: Metadata) -> bool:
    before, after = (each.configuration.get(key, "").lower() == "true" for each in (was, will_be))
    return after and not before
