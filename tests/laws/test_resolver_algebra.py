"""The laws of adding, normalising, merging, comparing and removing.

They hold for protocols whose listed features come with all they require, as every writer must see to. What delta-spark
does with others, and this library with it, is stated at the end.
"""

from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import ReaderVersionTooLowError, WriterVersionTooLowError
from deltaresolver.model import Protocol
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.resolution.algebra import (
    HIGHEST_PROTOCOL,
    can_downgrade_to,
    can_transition_to,
    can_upgrade_to,
    denormalized,
    denormalized_normalized,
    merge,
    normalized,
    protocol_for_feature,
    remove_feature,
    supported_features,
    with_feature,
    with_features,
)
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolve import resolve_known_part, resolve_upgrade
from deltaresolver.testing import strategies
from tests.laws.resolver_requests import Request, any_catalogs, requests

Drawn = tuple[FeatureCatalog, list[Protocol]]


def protocols(count: int, *, closed: bool = True) -> st.SearchStrategy[Drawn]:
    return any_catalogs().flatmap(
        lambda catalog: st.tuples(
            st.just(catalog),
            st.lists(strategies.protocols(catalog, closed=closed), min_size=count, max_size=count),
        )
    )


# --- normal forms ---------------------------------------------------------------------------------


@given(protocols(1))
def test_normalising_twice_is_normalising_once(drawn: Drawn) -> None:
    catalog, (protocol,) = drawn
    once = normalized(protocol, catalog)
    assert normalized(once, catalog) == once
    assert denormalized_normalized(denormalized_normalized(protocol, catalog), catalog) == denormalized_normalized(
        protocol, catalog
    )


@given(protocols(1))
def test_no_normal_form_gains_or_loses_a_feature(drawn: Drawn) -> None:
    catalog, (protocol,) = drawn
    before = supported_features(protocol, catalog)
    for form in (normalized, denormalized, denormalized_normalized):
        assert supported_features(form(protocol, catalog), catalog) == before


@given(protocols(1))
def test_normalising_raises_no_version(drawn: Drawn) -> None:
    catalog, (protocol,) = drawn
    form = denormalized_normalized(protocol, catalog)
    assert form.min_reader_version <= protocol.min_reader_version
    assert form.min_writer_version <= max(protocol.min_writer_version, 7 if not protocol.lists_writer_features else 0)
    if not protocol.lists_writer_features:
        # A numbered protocol means all that its numbers imply, so a numbered one means the same.
        assert form.min_writer_version <= protocol.min_writer_version


@given(protocols(1))
def test_listing_and_normalising_undo_each_other(drawn: Drawn) -> None:
    catalog, (protocol,) = drawn
    form = denormalized_normalized(protocol, catalog)
    assert normalized(denormalized(form, catalog), catalog) == form
    assert denormalized(protocol, catalog).lists_writer_features


@given(protocols(2))
def test_protocols_of_the_same_meaning_have_the_same_normal_form(drawn: Drawn) -> None:
    catalog, (one, other) = drawn
    same_meaning = supported_features(one, catalog) == supported_features(other, catalog)
    same_form = denormalized_normalized(one, catalog) == denormalized_normalized(other, catalog)
    assert same_meaning is same_form


# --- merging --------------------------------------------------------------------------------------


def numbers_imply_no_more(catalog: FeatureCatalog, *protocols: Protocol) -> bool:
    """Whether the highest numbers of numbered protocols imply only what one of them implies already.

    They can imply more: (1, 5) and (2, 4) do not mean columnMapping, yet (2, 5) does. Delta merges numbers by
    taking the highest of each, so merging is exact only where this holds.
    """
    if any(one.lists_writer_features for one in protocols):
        return True
    highest = Protocol(
        max(one.min_reader_version for one in protocols), max(one.min_writer_version for one in protocols)
    )
    together = frozenset[str]().union(*(supported_features(one, catalog) for one in protocols))
    return supported_features(highest, catalog) == together


@given(protocols(3))
def test_merging_is_commutative(drawn: Drawn) -> None:
    catalog, (a, b, c) = drawn
    assert merge(a, [b], catalog) == merge(b, [a], catalog)
    assert merge(a, [b, c], catalog) == merge(c, [a, b], catalog)


@given(protocols(3))
def test_merging_is_associative_where_numbers_imply_no_more(drawn: Drawn) -> None:
    catalog, (a, b, c) = drawn
    left, right = merge(a, [b], catalog), merge(b, [c], catalog)
    merged = ((a, b), (b, c), (a, b, c), (left, c), (a, right))
    if all(numbers_imply_no_more(catalog, *some) for some in merged):
        assert merge(left, [c], catalog) == merge(a, [right], catalog) == merge(a, [b, c], catalog)


@given(protocols(1))
def test_merging_with_nothing_or_itself_is_the_normal_form(drawn: Drawn) -> None:
    catalog, (protocol,) = drawn
    form = denormalized_normalized(protocol, catalog)
    assert merge(protocol, [], catalog) == merge(protocol, [protocol], catalog) == form


@given(protocols(3))
def test_a_merge_is_an_upper_bound_and_the_least_where_numbers_imply_no_more(drawn: Drawn) -> None:
    catalog, (a, b, above) = drawn
    merged = merge(a, [b], catalog)
    assert can_upgrade_to(a, merged, catalog)
    assert can_upgrade_to(b, merged, catalog)
    if not numbers_imply_no_more(catalog, a, b):
        return
    assert supported_features(merged, catalog) == supported_features(a, catalog) | supported_features(b, catalog)
    if can_upgrade_to(a, above, catalog) and can_upgrade_to(b, above, catalog):
        assert can_upgrade_to(merged, above, catalog)


# --- comparing ------------------------------------------------------------------------------------


@given(protocols(3, closed=False))
def test_upgrades_are_a_partial_order_up_to_meaning(drawn: Drawn) -> None:
    # Not of protocols as written: (2, 3) and (1, 3) can be upgraded to each other, for they mean the same.
    catalog, (a, b, c) = drawn
    assert can_upgrade_to(a, a, catalog)
    if can_upgrade_to(a, b, catalog) and can_upgrade_to(b, c, catalog):
        assert can_upgrade_to(a, c, catalog)
    if can_upgrade_to(a, b, catalog) and can_upgrade_to(b, a, catalog):
        assert supported_features(a, catalog) == supported_features(b, catalog)


def removable(protocol: Protocol, catalog: FeatureCatalog, *, required: bool) -> list[str]:
    """The features of a protocol that can be dropped, and that another one of it requires or does not."""
    supported = supported_features(protocol, catalog)
    needed = frozenset[str]().union(*(catalog.get(name).requires for name in supported))
    return [name for name in supported if catalog.get(name).is_removable and (name in needed) is required]


@given(protocols(1))
def test_a_removal_is_a_downgrade_and_no_upgrade(drawn: Drawn) -> None:
    catalog, (protocol,) = drawn
    for name in removable(protocol, catalog, required=False):
        after = remove_feature(protocol, name, catalog)
        assert supported_features(after, catalog) == supported_features(protocol, catalog) - {name}
        assert can_downgrade_to(protocol, after, name, catalog)
        assert can_transition_to(protocol, after, catalog, dropped_feature=name)
        assert not can_upgrade_to(protocol, after, catalog)
        assert not can_transition_to(protocol, after, catalog)


@given(protocols(1))
def test_a_removed_feature_that_another_requires_is_added_again_or_the_reader_version_is_too_low(drawn: Drawn) -> None:
    # Delta's algebra does not look at dependents: the command that drops a feature has to.
    catalog, (protocol,) = drawn
    for name in removable(protocol, catalog, required=True):
        with contextlib.suppress(ReaderVersionTooLowError):
            after = remove_feature(protocol, name, catalog)
            assert supported_features(after, catalog) == supported_features(protocol, catalog)


# --- adding ---------------------------------------------------------------------------------------


@given(protocols(1), st.data())
def test_adding_features_keeps_the_rest_whatever_the_order(drawn: Drawn, data: st.DataObject) -> None:
    catalog, (protocol,) = drawn
    names = data.draw(st.lists(st.sampled_from(sorted(catalog.names)), max_size=3))
    added = with_features(HIGHEST_PROTOCOL, names, catalog)
    assert added == with_features(HIGHEST_PROTOCOL, reversed(names), catalog)
    assert supported_features(added, catalog) == prepare(catalog).closure(names)
    try:
        onto = with_features(protocol, names, catalog)
    except (ReaderVersionTooLowError, WriterVersionTooLowError):
        assert not (protocol.lists_reader_features and protocol.lists_writer_features)
    else:
        assert (onto.min_reader_version, onto.min_writer_version) == (
            protocol.min_reader_version,
            protocol.min_writer_version,
        )
        assert supported_features(onto, catalog) >= supported_features(protocol, catalog) | set(names)
        assert with_features(onto, names, catalog) == onto


@given(any_catalogs(), st.data())
def test_the_protocol_of_a_feature_lists_it_with_what_it_requires_directly(
    catalog: FeatureCatalog, data: st.DataObject
) -> None:
    feature = catalog.get(data.draw(st.sampled_from(sorted(catalog.names))))
    protocol = protocol_for_feature(feature.name, catalog)
    assert protocol.writer_feature_names == feature.requires | {feature.name}
    assert can_upgrade_to(protocol, with_feature(HIGHEST_PROTOCOL, feature.name, catalog), catalog)


# --- where listed features lack what they require -------------------------------------------------


@given(protocols(2, closed=False))
def test_what_is_missing_is_added_or_the_versions_are_too_low(drawn: Drawn) -> None:
    # delta-spark lowers the versions to what is listed before it adds what is missing, which then may not fit.
    catalog, (a, b) = drawn
    if not numbers_imply_no_more(catalog, a, b):
        return
    try:
        merged = merge(a, [b], catalog)
    except (ReaderVersionTooLowError, WriterVersionTooLowError):
        listed = supported_features(a, catalog) | supported_features(b, catalog)
        assert prepare(catalog).closure(listed) != listed
    else:
        together = supported_features(a, catalog) | supported_features(b, catalog)
        assert supported_features(merged, catalog) == prepare(catalog).closure(together)


# --- names that nobody knows ------------------------------------------------------------------------

STRANGERS = ("acmeSealed", "redirectFromMars", "é", "another-made_up1", "APPENDONLY2")


@given(protocols(2), st.sets(st.sampled_from(STRANGERS), min_size=1), st.booleans(), st.data())
def test_an_unknown_name_is_never_lost(
    drawn: Drawn, strangers: set[str], for_readers: bool, data: st.DataObject
) -> None:
    catalog, (known, other) = drawn
    if any(catalog.find(name) is not None for name in strangers):
        return
    listed = denormalized(known, catalog)
    readers = listed.reader_feature_names | strangers if for_readers else listed.reader_feature_names
    protocol = Protocol.of(
        3 if for_readers else listed.min_reader_version, 7, readers, listed.writer_feature_names | strangers
    )
    supported = supported_features(protocol, catalog)
    results = [(normalized(protocol, catalog), supported)]
    results.append((denormalized_normalized(protocol, catalog), supported))
    with contextlib.suppress(ReaderVersionTooLowError, WriterVersionTooLowError):
        merged = merge(other, (protocol,), catalog)
        results.append((merged, supported | supported_features(other, catalog)))
    removable = sorted(name for name in supported if catalog.get(name).is_removable)
    free = [name for name in removable if not any(name in catalog.get(one).requires for one in supported)]
    if free:
        gone = data.draw(st.sampled_from(free))
        results.append((remove_feature(protocol, gone, catalog), supported - {gone}))
    for result, expected in results:
        assert supported_features(result, catalog) == expected
        assert strangers <= result.writer_feature_names
        assert strangers <= result.reader_feature_names if for_readers else not strangers & result.reader_feature_names
        assert normalized(result, catalog) == result


@given(requests(new=False, instructions=False), st.sets(st.sampled_from(STRANGERS), min_size=1), st.booleans())
def test_an_unknown_name_does_not_alter_the_result_of_a_change(
    request_: Request, strangers: set[str], for_readers: bool
) -> None:
    assert request_.current is not None
    listed = denormalized(request_.current, request_.catalog)
    readers = listed.reader_feature_names | (strangers if for_readers else set())
    reader_version = 3 if readers else listed.min_reader_version
    beside = Protocol.of(reader_version, 7, readers, listed.writer_feature_names | strangers)
    known = Protocol.of(reader_version, 7, readers - strangers, listed.writer_feature_names)
    alone = resolve_upgrade(request_.metadata, known, request_.catalog).protocol
    found = resolve_known_part(request_.metadata, beside, request_.catalog)
    assert found.current == beside
    assert supported_features(found.protocol, request_.catalog) == supported_features(alone, request_.catalog)
    assert strangers <= found.protocol.writer_feature_names
    assert found.protocol.reader_feature_names & strangers == (strangers if for_readers else set())
    proof, unknown = found.certificate, {*strangers} & {*found.protocol.listed_features}
    assert proof.is_lowest == (found.protocol == proof.lowest_form)
    for lower in proof.lower:
        assert lower.writer_version == 7 or unknown <= {*lower.cannot_carry}
        assert not for_readers or unknown <= {*lower.cannot_carry}
