"""The proof that a protocol is minimal: for every lower one, why it will not do."""

from __future__ import annotations

from typing import Any

import attrs

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.protocol import READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST, Protocol
from deltaresolver.resolution.algebra import with_unknown
from deltaresolver.resolution.prepared import PreparedCatalog, prepare
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class LowerProtocol(Value):
    """One protocol below the chosen one: what it cannot carry, and what it would switch on unasked.

    With both empty it means the same set, so the chosen protocol is not the lowest form.
    """

    reader_version: int
    writer_version: int
    cannot_carry: tuple[str, ...]
    would_add: tuple[str, ...]

    @property
    def will_do(self) -> bool:
        """Whether it supports exactly the features in question."""
        return not self.cannot_carry and not self.would_add

    def __str__(self) -> str:
        pair = f"({self.reader_version}, {self.writer_version})"
        parts = []
        if self.cannot_carry:
            parts.append(f"cannot carry {', '.join(self.cannot_carry)}")
        if self.would_add:
            parts.append(f"would also switch on {', '.join(self.would_add)}")
        return f"{pair} {' and '.join(parts) or 'means the same'}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "reader_version": self.reader_version,
            "writer_version": self.writer_version,
            "cannot_carry": list(self.cannot_carry),
            "would_add": list(self.would_add),
        }


@attrs.frozen(slots=True)
class Certificate(Value):
    """Every protocol with lower versions than the chosen one, each with its verdict.

    `lowest_form` is the lowest protocol that supports exactly the same features; it equals the chosen one
    unless a table keeps a higher form it already has.
    """

    lower: tuple[LowerProtocol, ...]
    lowest_form: Protocol
    is_lowest: bool

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {
            "is_lowest": self.is_lowest,
            "lowest_form": self.lowest_form.to_json(),
            "lower": [one.to_json() for one in self.lower],
        }


def certify(protocol: Protocol, features: frozenset[str], prepared: PreparedCatalog) -> Certificate:
    """The certificate for `protocol` as a protocol that supports exactly `features`."""
    lowest = prepared.lowest_protocol(features)
    lower = tuple(
        _verdict(reader_version, writer_version, features, prepared)
        for writer_version in range(1, min(protocol.min_writer_version, WRITER_VERSION_WITH_FEATURE_LIST) + 1)
        for reader_version in range(1, min(protocol.min_reader_version, READER_VERSION_WITH_FEATURE_LIST) + 1)
        if (reader_version, writer_version) != (protocol.min_reader_version, protocol.min_writer_version)
        and _exists(reader_version, writer_version)
    )
    return Certificate(lower, lowest, protocol == lowest)


def certify_known_part(
    protocol: Protocol, features: frozenset[str], unknown: frozenset[str], catalog: FeatureCatalog
) -> Certificate:
    """As `certify`, for a protocol that also lists features unknown here: only the list form carries these."""
    found = certify(protocol, features, prepare(catalog))
    lowest = with_unknown(found.lowest_form, protocol, unknown, catalog)
    lower = tuple(_with_unknown(one, protocol, unknown) for one in found.lower)
    return Certificate(lower, lowest, protocol == lowest)


def _with_unknown(lower: LowerProtocol, protocol: Protocol, unknown: frozenset[str]) -> LowerProtocol:
    if lower.writer_version < WRITER_VERSION_WITH_FEATURE_LIST:
        lost = unknown
    else:
        lost = unknown & protocol.reader_feature_names
    return attrs.evolve(lower, cannot_carry=tuple(sorted({*lower.cannot_carry, *lost})))


def _exists(reader_version: int, writer_version: int) -> bool:
    """Reader features can only be listed where writer features are."""
    return reader_version < 3 or writer_version >= WRITER_VERSION_WITH_FEATURE_LIST


def _verdict(
    reader_version: int, writer_version: int, features: frozenset[str], prepared: PreparedCatalog
) -> LowerProtocol:
    cannot_carry = (
        name
        for name in features
        if prepared.reader_versions[name] > reader_version or prepared.writer_versions[name] > writer_version
    )
    would_add = prepared.implied_by(reader_version, writer_version) - features
    return LowerProtocol(reader_version, writer_version, tuple(sorted(cannot_carry)), tuple(sorted(would_add)))
