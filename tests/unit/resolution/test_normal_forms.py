"""The weakest protocol for features of which the catalog does not know all."""

from __future__ import annotations

import pytest

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.algebra import normalized


@pytest.mark.parametrize(
    ("readers", "writers", "lowest"),
    [
        (None, {"acmeWriter", "appendOnly"}, Protocol(1, 7, None, {"acmeWriter", "appendOnly"})),
        (set(), {"acmeWriter", "appendOnly"}, Protocol(1, 7, None, {"acmeWriter", "appendOnly"})),
        (
            {"acmeReader"},
            {"acmeReader", "acmeWriter", "appendOnly"},
            Protocol(3, 7, {"acmeReader"}, {"acmeReader", "acmeWriter", "appendOnly"}),
        ),
        (
            {"deletionVectors"},
            {"deletionVectors", "acmeWriter"},
            Protocol(3, 7, {"deletionVectors"}, {"deletionVectors", "acmeWriter"}),
        ),
    ],
)
def test_a_feature_that_nobody_knows_stays_listed_where_it_was(
    readers: set[str] | None, writers: set[str], lowest: Protocol
) -> None:
    protocol = Protocol(1 if readers is None else 3, 7, readers, writers)
    assert normalized(protocol, delta_spark_catalog()) == lowest
