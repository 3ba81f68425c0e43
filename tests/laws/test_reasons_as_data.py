"""A resolution as data has the names and the values of its fields."""

from __future__ import annotations

from typing import Any

import attrs
from hypothesis import given

from deltaresolver.model import Protocol
from tests.laws.resolver_requests import Request, requests, small_catalogs


def plain(value: Any) -> Any:
    """A value as data, field by field; `kind` tells alternatives apart, and what is not known is left out."""
    if isinstance(value, Protocol):
        return value.to_json()
    if attrs.has(type(value)):
        fields = {field.name: plain(getattr(value, field.name)) for field in attrs.fields(type(value))}
        return {**({"kind": value.kind} if hasattr(value, "kind") else {}), **fields}
    return [plain(each) for each in value] if isinstance(value, tuple | list) else value


def without_nothing(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: without_nothing(value) for key, value in data.items() if value is not None}
    return [without_nothing(each) for each in data] if isinstance(data, list) else data


@given(requests(small_catalogs()))
def test_explanations_have_the_names_of_their_fields(request_: Request) -> None:
    found = request_.resolve()
    for name, reasons in found.reasons.items():
        assert [without_nothing(reason.to_json()) for reason in reasons] == without_nothing(plain(reasons)), name
    for explanation in found.explanations:
        told = explanation.to_json()
        assert told.keys() == {field.name for field in attrs.fields(type(explanation))}
        assert told["feature"] == explanation.feature
        assert told["reasons"] == [reason.to_json() for reason in explanation.reasons]
        assert told["remedies"] == [remedy.to_json() for remedy in explanation.remedies]
    for version in found.versions:
        assert without_nothing(version.to_json()) == without_nothing(plain(version))
