"""The set of features is complete, minimal, and reached in one step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import ManualEnablementError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.view import TableView
from deltaresolver.resolution.components import automatically_enabled_features
from deltaresolver.resolution.instructions import without_instructions
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolve import resolve_upgrade
from deltaresolver.testing import strategies
from tests.laws.resolver_requests import Request, any_catalogs, requests


@given(requests())
def test_every_requirement_of_a_feature_is_there_too(request_: Request) -> None:
    features = request_.resolve().features
    assert all(request_.catalog.get(name).requires <= features for name in features)


@given(requests())
def test_no_feature_can_be_left_out(request_: Request) -> None:
    found = request_.resolve()
    needed = set().union(*(request_.catalog.get(name).requires for name in found.features))
    for name in found.features - needed:
        kinds = {reason.kind for reason in found.reasons[name]}
        assert kinds & {"already supported", "asked by name", "property", "column", "rule", "implied by version"}, name


@given(requests())
def test_every_feature_that_the_metadata_switches_on_is_there(request_: Request) -> None:
    found = request_.resolve()
    view = TableView(request_.metadata, found.view.supported)
    fired = {one.name for one in request_.catalog if one.trigger is not None and one.trigger.fires(view)}
    assert fired <= found.features


@given(requests())
def test_resolving_the_result_again_changes_nothing(request_: Request) -> None:
    found = request_.resolve()
    committed = request_.metadata.with_configuration(without_instructions(request_.metadata.configuration))
    again = resolve_upgrade(committed, found.protocol, request_.catalog)
    assert not again.changed
    assert again.features == found.features


@given(requests(new=False))
def test_asking_an_existing_table_for_the_same_again_changes_nothing(request_: Request) -> None:
    found = request_.resolve()
    assert not resolve_upgrade(request_.metadata, found.protocol, request_.catalog).changed


@given(any_catalogs(), st.data())
def test_a_table_is_refused_exactly_when_it_needs_a_feature_that_must_be_asked_for(
    catalog: FeatureCatalog, data: st.DataObject
) -> None:
    metadata = data.draw(strategies.metadata(catalog, instructions=False))
    current = data.draw(strategies.protocols(catalog))
    supported = prepare(catalog).supported(current)
    needed = automatically_enabled_features(metadata, current, catalog) - supported
    waiting = {name for name in needed if catalog.get(name).trigger and not catalog.get(name).upgrades_existing_table}
    if not waiting:
        assert needed <= resolve_upgrade(metadata, current, catalog).features
        return
    with pytest.raises(ManualEnablementError) as caught:
        resolve_upgrade(metadata, current, catalog)
    assert caught.value.details["unsupportedFeatures"] == sorted(waiting)


@given(requests(new=False))
def test_an_existing_table_never_loses_a_feature(request_: Request) -> None:
    assert request_.current is not None
    assert prepare(request_.catalog).supported(request_.current) <= request_.resolve().features
