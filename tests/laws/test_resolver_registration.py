"""The order in which features and plugins register decides nothing."""

from __future__ import annotations

from types import SimpleNamespace

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import PluginRejectedError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.plugins import Plugin, PluginSource, build_catalog, hookimpl
from tests.laws.resolver_requests import Request, any_catalogs, requests


def plugin(feature: TableFeature) -> Plugin:
    @hookimpl
    def table_feature() -> TableFeature:
        return feature

    # Only the protocol's own features may belong to a legacy version.
    package = "deltaresolver" if feature.is_legacy else "acme"
    return Plugin(SimpleNamespace(table_feature=table_feature), PluginSource(f"plugin of {feature.name}", package))


@given(any_catalogs(), st.randoms(use_true_random=False))
def test_plugins_in_any_order_make_the_same_catalog(catalog: FeatureCatalog, random: object) -> None:
    plugins = [plugin(feature) for feature in catalog]
    expected = build_catalog(plugins)
    assert [feature.name for feature in expected] == [feature.name for feature in catalog]
    random.shuffle(plugins)  # type: ignore[attr-defined]
    assert build_catalog(plugins) == expected
    assert hash(build_catalog(plugins)) == hash(expected)


@given(requests(), st.randoms(use_true_random=False))
def test_features_in_any_order_give_the_same_answer_with_the_same_reasons(request_: Request, random: object) -> None:
    features = list(request_.catalog)
    random.shuffle(features)  # type: ignore[attr-defined]
    assert FeatureCatalog(features) == request_.catalog
    assert request_.resolve(FeatureCatalog(features)).to_json() == request_.resolve().to_json()


@settings(max_examples=10)
@given(st.permutations([feature.name for feature in built_in_catalog()][:6]))
def test_problems_are_reported_alike_in_any_order(names: list[str]) -> None:
    twice = [*built_in_catalog(), *(attrs.evolve(built_in_catalog().get(name), requires={"none"}) for name in names)]

    def rejected(features: list[TableFeature]) -> str:
        with pytest.raises(PluginRejectedError) as caught:
            build_catalog([plugin(feature) for feature in features])
        return str(caught.value)

    assert rejected(twice) == rejected(sorted(twice, key=lambda one: (one.requires == {"none"}, one.name)))
