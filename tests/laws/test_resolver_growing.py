"""Asking for more never gives less.

Two things bend this, and both are stated here exactly. A trigger may stand back for a feature that is supported
already, so asking for that one by name can make it fall silent. And a listed set can grow into exactly what a
numbered protocol implies, which then is written with its lower number: the set is larger, the number smaller.
"""

from __future__ import annotations

import attrs
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.rules import AllOf, UnlessSupported
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.testing import strategies
from tests.laws.resolver_requests import Request, any_catalogs, requests

REPLACING = ("delta.minReaderVersion", "delta.minWriterVersion", "delta.ignoreProtocolDefaults")
"""Properties that replace a default instead of adding to it."""


@st.composite
def grown(draw: st.DrawFn) -> tuple[Request, Request]:
    """A request, and the same with more properties; none replaces a value, a default or an older spelling."""
    small = draw(requests())
    more = draw(strategies.metadata(small.catalog)).configuration
    own = dict(small.metadata.configuration)
    added = {key: value for key, value in more.items() if key not in own and key not in REPLACING}
    if any("ChangeData" in key for key in own):
        added = {key: value for key, value in added.items() if "ChangeData" not in key}
    asked = {key.lower() for key in small.session}
    added = {key: value for key, value in added.items() if not any(name.endswith(key[6:].lower()) for name in asked)}
    return small, attrs.evolve(small, metadata=small.metadata.with_configuration(own | added))


def stands_back(name: str, grew: Resolution, catalog: FeatureCatalog) -> bool:
    """Whether the feature's trigger fell silent for one that is supported now."""
    trigger = catalog.get(name).trigger
    rules = trigger.rules if isinstance(trigger, AllOf) else ()
    return any(isinstance(rule, UnlessSupported) and grew.view.supported & {*rule.features} for rule in rules)


def silenced(before: Resolution, after: Resolution, catalog: FeatureCatalog) -> frozenset[str]:
    """The features that stand back now, with all they had brought along."""
    return prepare(catalog).closure(name for name in before.features if stands_back(name, after, catalog))


@given(grown())
def test_adding_a_property_never_loses_a_feature(pair: tuple[Request, Request]) -> None:
    before, after = (one.resolve() for one in pair)
    assert before.features - after.features <= silenced(before, after, pair[0].catalog)


@given(grown())
def test_adding_a_property_lowers_a_version_only_by_filling_a_numbered_protocol(pair: tuple[Request, Request]) -> None:
    before, after = (one.resolve() for one in pair)
    if not before.features <= after.features:
        return  # something stood back, see above
    assert after.protocol.min_reader_version >= before.protocol.min_reader_version or pair[0].current is not None
    if after.protocol.min_writer_version < before.protocol.min_writer_version and before.certificate.is_lowest:
        assert before.protocol.lists_writer_features
        assert not after.protocol.lists_writer_features
        assert after.features > before.features


@given(any_catalogs(), st.data())
def test_a_table_that_asks_for_one_more_feature_supports_all_it_did(
    catalog: FeatureCatalog, data: st.DataObject
) -> None:
    small = data.draw(requests(st.just(catalog)))
    name = data.draw(st.sampled_from(sorted(catalog.names)))
    asking = {**small.metadata.configuration, f"delta.feature.{name}": "supported"}
    before = small.resolve()
    after = attrs.evolve(small, metadata=small.metadata.with_configuration(asking)).resolve()
    assert name in after.features
    assert before.features - after.features <= silenced(before, after, catalog)
