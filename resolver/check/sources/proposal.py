"""What a file proposes for a table."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from deltaresolver.check.found import CheckPlace
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol


@attrs.frozen(slots=True)
class StatementProposal:
    """A statement of SQL, as it stands in a script."""

    place: CheckPlace
    sql: str


@attrs.frozen(slots=True, eq=False)
class PropertiesProposal:
    """Properties that a table is to have, whether it is there or not; columns with types where those are given."""

    place: CheckPlace
    table: str
    properties: Mapping[str, str]
    columns: tuple[tuple[str, str], ...] = ()


@attrs.frozen(slots=True, eq=False)
class MetadataProposal:
    """The metadata that a table is to have, and its protocol where one is given."""

    place: CheckPlace
    table: str
    metadata: Metadata
    protocol: Protocol | None = None


@attrs.frozen(slots=True)
class SettingProposal:
    """A script gives tables that it creates from here on a property, or no longer does: `value` is None then."""

    place: CheckPlace
    key: str
    value: str | None


Proposal = SettingProposal | StatementProposal | PropertiesProposal | MetadataProposal
