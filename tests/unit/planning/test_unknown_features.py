"""No way is invented for a table with a feature that is not known here."""

from __future__ import annotations

import attrs
import pytest

from deltaresolver.defaults import default_catalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.planning.moves import moves
from deltaresolver.planning.plan import plan
from deltaresolver.planning.state import PlanState
from tests.transactions import SCHEMA

METADATA = Metadata("t", schema_string=SCHEMA, configuration={"delta.enableRowTracking": "true"})
SEALED = Protocol.of(
    3, 7, ["acmeSealed"], ["acmeBase", "acmeSealed", "betaLineage", "rowTracking", "domainMetadata", "checkConstraints"]
)
FOR_WRITERS = Protocol.of(1, 7, (), ["acmeBase", "rowTracking", "domainMetadata"])


@pytest.mark.parametrize("protocol", [SEALED, FOR_WRITERS])
@pytest.mark.parametrize("target", ["1,2", "-rowTracking", "delta-spark@4.0.0:read", ["1,7", "-checkConstraints"]])
def test_there_is_no_way_past_an_unknown_feature(protocol: Protocol, target: object) -> None:
    state = PlanState(default_catalog(), protocol, METADATA)
    assert list(moves(state)) == []
    found = plan(state, target)
    if not found.target.is_met(state):
        assert not found.is_possible
        assert "acme" in " ".join(found.reasons)
    assert found.steps == ()
    assert found.end.protocol == protocol


UNNAMED = Protocol.of(1, 7, (), ["rowTracking"])
"""As a writer leaves it that forgets what a feature needs: whoever begins a commit is refused with DR508."""


@pytest.mark.parametrize("configuration", [{}, {"delta.enableRowTracking": "true"}])
@pytest.mark.parametrize("target", ["1,2", "-rowTracking", "delta-spark@3.3.0:append"])
def test_there_is_no_way_where_the_protocol_does_not_name_what_the_table_needs(
    configuration: dict[str, str], target: str
) -> None:
    state = PlanState(default_catalog(), UNNAMED, METADATA.with_configuration(configuration))
    assert list(moves(state)) == []
    found = plan(state, target)
    assert not found.is_possible
    assert not any("can be dropped" in note for note in found.notes)
    if target != "delta-spark@3.3.0:append":
        assert "domainMetadata, which its protocol does not name" in " ".join(found.reasons)


COORDINATED = Protocol.of(
    3,
    7,
    ["deletionVectors", "vacuumProtocolCheck"],
    ["coordinatedCommits-preview", "deletionVectors", "inCommitTimestamp", "vacuumProtocolCheck"],
)


@pytest.mark.parametrize("target", ["-coordinatedCommits-preview", "-inCommitTimestamp", "-deletionVectors", "1,2"])
def test_no_step_is_shown_where_a_coordinator_decides_which_commits_count(target: str) -> None:
    """Each of them would be refused: this library commits to the log alone."""
    properties = {"delta.coordinatedCommits.commitCoordinator-preview": "dynamodb"}
    state = PlanState(default_catalog(), COORDINATED, METADATA.with_configuration(properties))
    assert list(moves(state)) == []
    found = plan(state, target)
    assert not found.is_possible
    assert "Coordinator dynamodb decides which commits of the table count" in " ".join(found.reasons)
    assert not any("can be dropped" in note for note in found.notes)
    without = attrs.evolve(state, metadata=METADATA.with_configuration({}))
    assert plan(without, "-coordinatedCommits-preview").is_possible
