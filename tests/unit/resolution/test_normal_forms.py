"""The weakest protocol for features of which the catalog does not know all."""

from __future__ import annotations

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import normalized


@pytest.mark.parametrize(
    ("protocol", "lowest"),
    [
        (Protocol.of(1, 7, (), {"acmeWriter", "appendOnly"}), Protocol.of(1, 7, (), {"acmeWriter", "appendOnly"})),
        (Protocol.of(3, 7, set(), {"acmeWriter", "appendOnly"}), Protocol.of(1, 7, (), {"acmeWriter", "appendOnly"})),
        (
            Protocol.of(3, 7, {"acmeReader"}, {"acmeReader", "acmeWriter", "appendOnly"}),
            Protocol.of(3, 7, {"acmeReader"}, {"acmeReader", "acmeWriter", "appendOnly"}),
        ),
        (
            Protocol.of(3, 7, {"deletionVectors"}, {"deletionVectors", "acmeWriter"}),
            Protocol.of(3, 7, {"deletionVectors"}, {"deletionVectors", "acmeWriter"}),
        ),
    ],
)
def test_a_feature_that_nobody_knows_stays_listed_where_it_was(protocol: Protocol, lowest: Protocol) -> None:
    assert normalized(protocol, delta_spark_catalog()) == lowest
