"""No operation on protocols loses the name of a feature that nobody here knows, or makes one up."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import DeltaResolverError
from deltaresolver.model import Protocol
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.resolution import algebra
from deltaresolver.testing import strategies
from tests.laws.resolver_requests import any_catalogs

UNKNOWN = ("acmeSealed", "acmeMasked", "zetaLine")
Drawn = tuple[FeatureCatalog, Protocol, Protocol, frozenset[str], frozenset[str]]


@st.composite
def protocols(draw: st.DrawFn) -> Drawn:
    """Two protocols over a catalog, and the first one's unknown names for readers and for writers."""
    catalog = draw(any_catalogs())
    protocol, other = draw(strategies.protocols(catalog)), draw(strategies.protocols(catalog))
    readers = draw(st.frozensets(st.sampled_from(UNKNOWN)))
    writers = readers | draw(st.frozensets(st.sampled_from(UNKNOWN)))
    reader_features = protocol.reader_features if not readers else (protocol.reader_features or frozenset()) | readers
    writer_features = protocol.writer_features if not writers else protocol.writer_feature_names | writers
    reader_version = 3 if readers else protocol.min_reader_version
    writer_version = 7 if writers else protocol.min_writer_version
    if readers and protocol.reader_features is None:
        reader_features = readers
    return catalog, Protocol(reader_version, writer_version, reader_features, writer_features), other, readers, writers


@given(protocols(), st.data())
def test_unknown_names_stay_where_they_were(drawn: Drawn, data: st.DataObject) -> None:
    catalog, protocol, other, readers, writers = drawn
    feature = data.draw(st.sampled_from(sorted(catalog.names)))
    operations: dict[str, Callable[[], Protocol]] = {
        "normalized": lambda: algebra.normalized(protocol, catalog),
        "denormalized": lambda: algebra.denormalized(protocol, catalog),
        "both": lambda: algebra.denormalized_normalized(protocol, catalog),
        "merge": lambda: algebra.merge(protocol, [other], catalog),
        "merged the other way": lambda: algebra.merge(other, [protocol], catalog),
        "with_feature": lambda: algebra.with_feature(protocol, feature, catalog),
        "with_features": lambda: algebra.with_features(protocol, [feature], catalog),
        "remove_feature": lambda: algebra.remove_feature(protocol, feature, catalog),
    }
    for name, operation in operations.items():
        with contextlib.suppress(DeltaResolverError):
            found = operation()
            assert found.reader_feature_names & set(UNKNOWN) == readers, name
            assert found.writer_feature_names & set(UNKNOWN) == writers, name
    assert algebra.unknown_features(protocol, catalog) == readers | writers
