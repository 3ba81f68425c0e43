"""Every built-in feature passes the public kit, with examples of its own."""

from __future__ import annotations

import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.testing import check_feature
from tests.unit.features.examples import EXAMPLES


def test_every_built_in_feature_has_examples() -> None:
    assert EXAMPLES.keys() == built_in_catalog().names


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_built_in_feature_complies(name: str) -> None:
    check_feature(built_in_catalog().get(name), switched_on=EXAMPLES[name].on, switched_off=EXAMPLES[name].off)
