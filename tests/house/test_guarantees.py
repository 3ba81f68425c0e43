"""docs/guarantees.md names tests and codes that exist, and the numbers that the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deltaresolver.expressions.allowed import MAX_CHARACTERS
from deltaresolver.expressions.parser.read import _DEEPEST_TYPES
from deltaresolver.expressions.parser.spelt_out import _DEEPEST
from deltaresolver.log.columnar.json_input import MAX_LINE_BYTES
from deltaresolver.log.deletion_vectors import MAX_ROWS
from deltaresolver.log.storage.bounded_answers import (
    MAX_ENTRIES,
    MAX_KEY_CHARACTERS,
    MAX_LOG_ENTRIES,
    PAGE_BYTES,
    PAGE_SECONDS,
    WHOLE_BYTES,
)
from deltaresolver.log.storage.local_publish import STAGING_PREFIX, STAGING_SUFFIX
from deltaresolver.log.storage.local_read import MAX_WHOLE_BYTES
from deltaresolver.planning.lake.read_lake import MAX_LAKE_BYTES
from tests.security.budget import MEGABYTES, SECONDS
from tests.security.test_many_things import COLUMNS, DOMAINS, FEATURES, FILES, PROPERTIES


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs/guarantees.md").read_text(encoding="utf-8")


def test_every_row_names_a_test_that_exists(root: Path, page: str) -> None:
    rows = [line for line in page.splitlines() if line.startswith("| ") and "held by" not in line]
    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)`", row)
        assert named, row
        assert all((root / name).is_file() for name in named), row
        sources = "".join((root / name).read_text(encoding="utf-8") for name in named)
        assert all(f"def {test}(" in sources for test in re.findall(r"`(test_\w+)`", row)), row


def test_every_code_is_documented(root: Path, page: str) -> None:
    codes = set(re.findall(r"DR\d{3}", page))
    assert codes == {code for code in codes if (root / f"docs/errors/{code}.md").is_file()}


@pytest.mark.parametrize(
    "limit",
    [
        f"| {MAX_LINE_BYTES:,} bytes |",
        f"| {MAX_ROWS:,}, and",
        f"| {MAX_CHARACTERS:,} characters;",
        f"| {_DEEPEST} levels |",
        f"| {_DEEPEST_TYPES} | it cannot be read",
        f"`{STAGING_PREFIX}*{STAGING_SUFFIX}`",
        f"| {MAX_WHOLE_BYTES:,} bytes | DR407 |",
        f"| {MAX_LOG_ENTRIES:,} in a folder of a log, {MAX_ENTRIES:,} below a folder; keys of {MAX_KEY_CHARACTERS:,}",
        f"| {PAGE_SECONDS:.0f} seconds; one hour |",
        f"may grow by {PAGE_BYTES:,} bytes; by {WHOLE_BYTES:,} |",
        f"| {MAX_LAKE_BYTES:,} bytes, and plain files |",
        f"{COLUMNS:,} columns, {PROPERTIES:,} properties, {DOMAINS:,} domains and {FEATURES:,} features: each",
        f"within {SECONDS} seconds and {MEGABYTES >> 10} GB",
        f"tried with {FILES:,} of each",
    ],
)
def test_limits_are_as_stated(page: str, limit: str) -> None:
    assert limit in page
