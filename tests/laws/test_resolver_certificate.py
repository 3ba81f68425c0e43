"""The certificate is right about every lower protocol, as found by trying each."""

from __future__ import annotations

from hypothesis import given

from tests.laws.resolver_requests import Request, requests, small_catalogs
from tests.laws.test_resolver_against_oracle import form_of
from tests.oracle.protocols import all_forms, known, lowest_form, meaning


@given(requests(small_catalogs()))
def test_every_lower_pair_of_versions_is_judged_and_rightly(request_: Request) -> None:
    found = request_.resolve()
    features, chosen = known(request_.catalog), form_of(found.protocol.to_json())
    pairs = {(lower.reader_version, lower.writer_version): lower for lower in found.certificate.lower}
    lower_forms = [
        form
        for form in all_forms(features)
        if (form.reader, form.writer) != (chosen.reader, chosen.writer)
        and form.reader <= chosen.reader
        and form.writer <= chosen.writer
    ]
    assert {(form.reader, form.writer) for form in lower_forms} == pairs.keys()
    doing = {(form.reader, form.writer) for form in lower_forms if meaning(form, features) == found.features}
    assert {pair for pair, lower in pairs.items() if lower.will_do} == doing
    assert not doing or not found.certificate.is_lowest


@given(requests(small_catalogs()))
def test_what_a_lower_protocol_lacks_and_adds_is_listed_exactly(request_: Request) -> None:
    found = request_.resolve()
    features = known(request_.catalog)
    for lower in found.certificate.lower:
        forms = [
            form
            for form in all_forms(features)
            if (form.reader, form.writer) == (lower.reader_version, lower.writer_version)
        ]
        carried = frozenset().union(*(meaning(form, features) or () for form in forms))
        assert set(lower.cannot_carry) == found.features - carried
        unasked = carried - found.features if lower.writer_version < 7 else frozenset()
        assert set(lower.would_add) == unasked


@given(requests(small_catalogs()))
def test_the_lowest_form_is_the_one_found_by_trying_all(request_: Request) -> None:
    found = request_.resolve()
    lowest = lowest_form(found.features, known(request_.catalog))
    assert form_of(found.certificate.lowest_form.to_json()) == lowest
    assert found.certificate.is_lowest is (form_of(found.protocol.to_json()) == lowest)


@given(requests(small_catalogs(), existing=False))
def test_a_new_table_starts_at_the_lowest_form(request_: Request) -> None:
    certificate = request_.resolve().certificate
    assert certificate.is_lowest
    assert not any(lower.will_do for lower in certificate.lower)
