"""Each client's versions by its own scheme."""

from __future__ import annotations

from itertools import pairwise

import pytest

from deltaresolver.clients.versions import VersionRange, VersionScheme, parse_version
from deltaresolver.errors import ClientVersionUnreadableError

SEMVER, INTEGER, RUNTIME, DATE = VersionScheme


@pytest.mark.parametrize(
    ("scheme", "ordered"),
    [
        (SEMVER, ["0.9.0", "0.10.2", "0.19.2", "0.19.2+1", "1.0.0-rc1", "1.0.0", "1.0.1", "2.0.0rc1", "2.0.0"]),
        (SEMVER, ["4.0.0-preview-rc1", "4.0.0", "4.0.1"]),
        (INTEGER, ["99", "414", "1000"]),
        (RUNTIME, ["9.1 LTS", "10.4", "13.3 LTS", "14.0", "16"]),
        (DATE, ["2025-12", "2026-03-02", "2026-11-03"]),
        (SEMVER, ["1.40.1 (deltalake 1.4.2)", "1.40.1 (deltalake 1.5.1)", "1.43.2 (deltalake 1.6.0)"]),
    ],
)
def test_versions_are_in_the_order_of_their_release(scheme: VersionScheme, ordered: list[str]) -> None:
    versions = [parse_version(text, scheme) for text in ordered]
    assert all(earlier < later for earlier, later in pairwise(versions))
    assert len({version.order for version in versions}) == len(versions)


@pytest.mark.parametrize(
    ("scheme", "one", "other"),
    [
        (SEMVER, "v1.2", "1.2.0"),
        (RUNTIME, "13.3 LTS", "13.3"),
        (RUNTIME, "13.x", "13.0"),
        (DATE, "2026-03", "2026-03-01"),
    ],
)
def test_spellings_of_one_version_are_equal(scheme: VersionScheme, one: str, other: str) -> None:
    assert parse_version(one, scheme).order == parse_version(other, scheme).order


def test_a_composite_keeps_its_library_apart() -> None:
    version = parse_version("1.40.1 (deltalake 1.4.2)", SEMVER)
    assert version.library is not None
    assert version.library.key == parse_version("1.4.2", SEMVER).key
    assert version.key == parse_version("1.40.1", SEMVER).key
    assert str(version) == "1.40.1 (deltalake 1.4.2)"


@pytest.mark.parametrize(
    ("scheme", "text"),
    [
        (SEMVER, "latest"),
        (SEMVER, ""),
        (SEMVER, "1.2.3.4.5"),
        (INTEGER, "468.1"),
        (INTEGER, "-1"),
        (RUNTIME, "13.3.1"),
        (DATE, "2026-13-01"),
        (DATE, "2026"),
        (SEMVER, "1.40.1 (deltalake newest)"),
    ],
)
def test_a_version_its_scheme_cannot_read_names_the_scheme(scheme: VersionScheme, text: str) -> None:
    with pytest.raises(ClientVersionUnreadableError) as raised:
        parse_version(text, scheme, "some-client")
    assert raised.value.details["scheme"] in raised.value.message
    assert raised.value.details["example"] in raised.value.fix


def test_a_range_includes_both_ends() -> None:
    first, last = parse_version("414", INTEGER), parse_version("427", INTEGER)
    inside = VersionRange(first, last)
    assert first in inside
    assert last in inside
    assert parse_version("428", INTEGER) not in inside
    assert parse_version("1", INTEGER) in VersionRange(None, last)
    assert str(inside) == "414 to 427"
    assert str(VersionRange()) == "all versions"
