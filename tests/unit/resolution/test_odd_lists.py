"""What is explained of protocols whose lists disagree, and of features that stay because another one does."""

from __future__ import annotations

import pytest

from deltaresolver.defaults import default_catalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.explain.phrases import half_listed, still_kept
from deltaresolver.resolution.resolve import resolve_known_part

CATALOG = default_catalog()


def explained(protocol: Protocol, form: str) -> str:
    return resolve_known_part(Metadata(), protocol, CATALOG, before=Metadata()).explain(form)


@pytest.mark.parametrize(
    "protocol",
    [
        Protocol.from_json({"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["vacuumProtocolCheck"]}),
        Protocol(3, 7, frozenset({"deletionVectors"}), frozenset()),
        Protocol(3, 7, frozenset(), frozenset({"deletionVectors", "appendOnly"})),
        Protocol(3, 7, frozenset({"v2Checkpoint"}), frozenset({"deletionVectors", "v2Checkpoint"})),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_feature_on_one_list_alone_is_reported_and_nothing_is_called_lower(protocol: Protocol, form: str) -> None:
    told = explained(protocol, form)
    assert "LOWER WOULD DO" not in told
    assert "would support exactly" not in told
    assert "some clients refuse the table" in " ".join(told.split())


@pytest.mark.parametrize(
    "protocol",
    [
        Protocol(1, 2),
        Protocol(2, 2),
        Protocol(3, 7, frozenset(), frozenset()),
        Protocol(3, 7, frozenset({"columnMapping"}), frozenset({"columnMapping"})),
        Protocol(2, 7, None, frozenset({"columnMapping"})),
    ],
    ids=str,
)
def test_whole_lists_are_not_called_wrong(protocol: Protocol) -> None:
    resolution = resolve_known_part(Metadata(), protocol, CATALOG, before=Metadata())
    assert half_listed(resolution) == []


def test_what_a_lasting_feature_requires_stays_with_it() -> None:
    protocol = Protocol(1, 7, None, frozenset({"clustering", "domainMetadata", "checkConstraints"}))
    resolution = resolve_known_part(Metadata(), protocol, CATALOG, before=Metadata())
    assert still_kept(resolution) == (["checkConstraints"], ["clustering", "domainMetadata"])
    alone = Protocol(1, 7, None, frozenset({"domainMetadata"}))
    assert still_kept(resolve_known_part(Metadata(), alone, CATALOG, before=Metadata())) == (["domainMetadata"], [])
