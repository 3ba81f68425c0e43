"""What a client can read and write follows from versions and lists alone."""

from __future__ import annotations

import attrs
import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.model import Protocol
from deltaresolver.resolution.capability import Capability

CATALOG = delta_spark_catalog()
EVERYTHING = Capability.of_catalog(CATALOG)
OLD = Capability(frozenset((1, 2)), frozenset((1, 2, 3, 4, 5)), frozenset(), frozenset())


@pytest.mark.parametrize("protocol", [Protocol(1, 2), Protocol(2, 6), Protocol.of(3, 7, (), ("rowTracking",))])
def test_a_client_that_implements_everything_reads_and_writes(protocol: Protocol) -> None:
    assert EVERYTHING.can_read(protocol)
    assert EVERYTHING.can_write(protocol)


@pytest.mark.parametrize(
    ("protocol", "read", "write"),
    [
        (Protocol(1, 2), True, True),
        (Protocol(2, 5), True, True),
        (Protocol(1, 6), True, False),
        (Protocol.of(1, 7, (), ("rowTracking",)), True, False),
        (Protocol.of(3, 7, ("deletionVectors",), ("deletionVectors",)), False, False),
        (Protocol.of(3, 7), False, False),
    ],
)
def test_an_old_client_is_stopped_by_numbers(protocol: Protocol, read: bool, write: bool) -> None:
    assert (OLD.can_read(protocol), OLD.can_write(protocol)) == (read, write)


def test_what_is_missing_is_named_by_side() -> None:
    protocol = Protocol.of(3, 7, ("acmeMask",), ("acmeMask", "acmeAudit", "rowTracking"))
    assert EVERYTHING.missing_to_read(protocol) == {"acmeMask"}
    assert EVERYTHING.missing_to_write(protocol) == {"acmeMask", "acmeAudit"}
    assert not EVERYTHING.can_read(protocol)


def test_versions_beyond_the_known_ones_are_refused() -> None:
    assert not EVERYTHING.can_read(Protocol.of(4, 7))
    assert not EVERYTHING.can_write(Protocol.of(3, 8))


def test_only_the_catalog_knows_which_package_brings_a_missing_feature() -> None:
    missing = frozenset({"acmeMask"})
    assert OLD.why_missing(missing) == ""
    known = attrs.evolve(OLD, catalog=CATALOG.missing({"acmeMask": "acme-delta 1.0"}))
    assert "acmeMask is of acme-delta 1.0" in known.why_missing(missing)
