"""The resolver's answer is the one found by trying every set of features and every protocol."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given, settings

from deltaresolver.model import Metadata
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.view import TableView
from tests.laws.resolver_requests import Request, requests, small_catalogs
from tests.oracle.protocols import Form, Known, Names, known, lowest_form, meaning, smallest_closed_set

MORE = 3 * settings.default.max_examples  # type: ignore[union-attr]
"""This law says most, so it is tried more often than others."""

DEFAULTS = "spark.databricks.delta.properties.defaults."


def asked_by_name(properties: Mapping[str, str], features: tuple[Known, ...]) -> Names:
    lowered = {key.lower() for key in properties if key.startswith("delta.feature.")}
    return frozenset(feature.name for feature in features if f"delta.feature.{feature.name}".lower() in lowered)


def switched_on(metadata: Metadata, supported: Names, catalog: FeatureCatalog) -> Names:
    view = TableView(metadata, supported)
    return frozenset(one.name for one in catalog if one.trigger is not None and one.trigger.fires(view))


def properties_in_effect(request: Request) -> dict[str, str]:
    """What a new table is resolved by: its own properties over the session's over the defaults."""
    own = request.metadata.configuration
    session = {"delta." + key.removeprefix(DEFAULTS): value for key, value in request.session.items()}
    key = "delta.ignoreProtocolDefaults"
    if own.get(key, session.get(key, "false")) == "true":
        return {"delta.minReaderVersion": "1", "delta.minWriterVersion": "1", **own}
    return {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2", **session, **own}


@settings(max_examples=MORE)
@given(requests(small_catalogs(), existing=False))
def test_a_new_table_gets_the_smallest_set_at_the_lowest_protocol(request_: Request) -> None:
    features, properties = known(request_.catalog), properties_in_effect(request_)
    asked = smallest_closed_set(asked_by_name(properties, features), features)
    versions = Form(int(properties["delta.minReaderVersion"]), int(properties["delta.minWriterVersion"]))
    implied = (meaning(versions, features) or frozenset()) if versions.writer < 7 else frozenset()
    required = asked | implied | switched_on(request_.metadata, asked, request_.catalog)
    expected = smallest_closed_set(required, features)
    found = request_.resolve()
    assert found.features == expected
    assert form_of(found.protocol.to_json()) == lowest_form(expected, features)


@settings(max_examples=MORE)
@given(requests(small_catalogs(), new=False, instructions=False))
def test_an_existing_table_gets_the_smallest_set_that_keeps_what_it_has(request_: Request) -> None:
    assert request_.current is not None
    features = known(request_.catalog)
    before = meaning(form_of(request_.current.to_json()), features)
    assert before is not None
    enabled = switched_on(request_.metadata, before, request_.catalog)
    expected = smallest_closed_set(before | enabled, features)
    found = request_.resolve()
    assert found.features == expected
    # A table whose protocol will do keeps it, though a lower form may exist.
    current = form_of(request_.current.to_json())
    assert form_of(found.protocol.to_json()) == (current if expected == before else lowest_form(expected, features))


def form_of(protocol: Mapping[str, object]) -> Form:
    def names(key: str) -> Names | None:
        listed = protocol.get(key)
        return frozenset(listed) if isinstance(listed, list) else None

    reader, writer = protocol["minReaderVersion"], protocol["minWriterVersion"]
    assert isinstance(reader, int)
    assert isinstance(writer, int)
    return Form(reader, writer, names("readerFeatures"), names("writerFeatures"))
