"""An explanation is complete: resolving only what it names gives the same answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import given

from deltaresolver.model import Metadata, Protocol
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.schema import StructField, StructType, encode_schema
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.resolution.resolve import resolve_new_table, resolve_upgrade
from tests.laws.resolver_requests import Request, requests

Path = tuple[str, ...]


def answer_from(explanation: Mapping[str, Any], catalog: FeatureCatalog) -> Resolution:
    """What the resolver says to a request made of nothing but the facts in an explanation's JSON."""
    session: dict[str, str] = {}
    properties: dict[str, str] = {}
    columns: dict[Path, list[str]] = {}
    for feature in explanation["features"]:
        for reason in feature["reasons"]:
            if reason["kind"] == "property" or reason.get("origin") == "table property":
                properties[reason["key"]] = reason["value"]
            elif reason.get("origin") == "session default":
                session[reason["key"]] = reason["value"]
            elif reason["kind"] == "column":
                columns.setdefault(tuple(reason["path"]), []).append(reason["fact"])
    for asked in explanation["versions_in_effect"] or ():
        properties[asked["key"]] = str(asked["value"])
    metadata = Metadata(schema_string=encode_schema(schema_of(columns)), configuration=properties)
    current = explanation["current"]
    if current is None:
        return resolve_new_table(metadata, catalog, session=session)
    return resolve_upgrade(metadata, Protocol.from_json(current), catalog)


def schema_of(columns: Mapping[Path, Iterable[str]]) -> StructType:
    """A schema in which these paths have these facts, made of structs alone, and says nothing else."""
    below: dict[str, dict[Path, Iterable[str]]] = {}
    for path, facts in columns.items():
        below.setdefault(path[0], {})[path[1:]] = facts
    return StructType(tuple(field_of(name, inside) for name, inside in below.items()))


def field_of(name: str, inside: dict[Path, Iterable[str]]) -> StructField:
    facts = list(inside.pop((), ()))
    types = [fact.removeprefix("type ") for fact in facts if fact.startswith("type ")]
    keys = [fact.removeprefix("metadata ") for fact in facts if fact.startswith("metadata ")]
    return StructField(
        name,
        schema_of(inside) if inside else (types[0] if types else "string"),
        nullable="NOT NULL" not in facts,
        # The value of field metadata decides nothing, except that an invariant must be readable.
        metadata=dict.fromkeys(keys, '{"expression": {"expression": "c0"}}') or None,
    )


@given(requests())
def test_the_facts_of_an_explanation_give_the_same_protocol_and_features(request_: Request) -> None:
    found = request_.resolve()
    again = answer_from(json.loads(json.dumps(found.to_json())), request_.catalog)
    assert again.protocol == found.protocol
    assert again.features == found.features


@given(requests())
def test_every_feature_has_a_reason(request_: Request) -> None:
    found = request_.resolve()
    assert found.reasons.keys() == found.features
    assert all(found.reasons.values())


@given(requests())
def test_a_requirement_is_never_the_only_reason_all_the_way_up(request_: Request) -> None:
    found = request_.resolve()
    for name in found.features:
        asked, seen = [name], {name}
        while asked:
            reasons = found.reasons[asked.pop()]
            if any(reason.kind != "dependency" for reason in reasons):
                break
            above = {reason.to_json()["required_by"] for reason in reasons} - seen
            asked += above
            seen |= above
        else:
            raise AssertionError(f"{name} is there for no reason outside {seen}")


@given(requests())
def test_each_version_has_the_number_that_its_explanation_claims(request_: Request) -> None:
    found = request_.resolve()
    numbers = (found.protocol.min_reader_version, found.protocol.min_writer_version)
    assert tuple(one.number for one in found.versions) == numbers
    for version in found.versions:
        needed = {name for name in version.needed_for if _least(version.side, name, request_.catalog) >= version.number}
        assert needed == set(version.needed_for)
        assert bool(needed) is (version.cause == "features")
        assert version.cause != "floor" or version.number <= 1
        assert version.cause != "kept" or found.current is not None


def _least(side: str, name: str, catalog: FeatureCatalog) -> int:
    feature = catalog.get(name)
    return feature.min_reader_version if side == "reader" else feature.min_writer_version
