"""Every built-in feature passes the public kit, with examples of its own."""

from __future__ import annotations

import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.model.behaviour import written
from deltaresolver.plugins import PluginSource
from deltaresolver.plugins.code_check import behaviour_problems
from deltaresolver.plugins.problems import Submission
from deltaresolver.testing import check_feature
from tests.unit.features.examples import EXAMPLES


def test_every_built_in_feature_has_examples() -> None:
    assert EXAMPLES.keys() == built_in_catalog().names


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_built_in_feature_complies(name: str) -> None:
    check_feature(built_in_catalog().get(name), switched_on=EXAMPLES[name].on, switched_off=EXAMPLES[name].off)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_built_in_behaviour_is_sound(name: str) -> None:
    """Commands do not ask again: that took a thirtieth of the time of each."""
    feature = built_in_catalog().get(name)
    if feature.behaviour is not None:
        submission = Submission(feature, PluginSource(name, "deltaresolver"))
        assert [*behaviour_problems(submission, written(feature.behaviour))] == []
