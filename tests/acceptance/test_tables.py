"""Real tables of other projects, and what two other implementations recorded of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.testing.conformance.tables import TableOutcome, TableResult, iterate_tables, run_tables
from tests.archives import unpack


@pytest.fixture(scope="module")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    unpack(shared / "conformance" / "tables.tar.gz", folder)
    return next(folder.rglob("index.json")).parent


@pytest.fixture(scope="module")
def results(corpus: Path) -> tuple[TableResult, ...]:
    return tuple(iterate_tables(corpus))


def test_every_scored_table_and_version_is_as_recorded(results: tuple[TableResult, ...]) -> None:
    failed = [(result.label, result.differences) for result in results if result.outcome is TableOutcome.FAILED]
    assert failed == []
    assert sum(result.outcome is TableOutcome.PASSED for result in results) > 300


def test_known_differences_are_only_about_counting_tombstones(results: tuple[TableResult, ...]) -> None:
    known = [result for result in results if result.outcome is TableOutcome.KNOWN_DIFFERENCE]
    assert all(difference.startswith("num_removes") for result in known for difference in result.differences)


def test_where_recorded_implementations_disagree_the_primary_one_is_followed(results: tuple[TableResult, ...]) -> None:
    differing = [result for result in results if result.outcome is TableOutcome.CONTESTED_DIFFERS]
    # Both recorded implementations refuse geometry for want of support, which is no fact about the log.
    assert [result.name for result in differing] == ["kernel-rs__table-with-geo"]


def test_one_table_can_be_run_alone(corpus: Path) -> None:
    results = list(iterate_tables(corpus, ["dat__no_replay"]))
    assert {result.name for result in results} == {"dat__no_replay"}
    assert all(result.outcome is TableOutcome.PASSED for result in results)


def test_a_wrong_fact_fails_with_the_difference(corpus: Path) -> None:
    expectation = corpus / "expect" / "dat__basic_append.json"
    text = expectation.read_text()
    expectation.write_text(text.replace('"num_files": 2', '"num_files": 3'))
    try:
        report = run_tables(corpus, ["dat__basic_append"])
    finally:
        expectation.write_text(text)
    assert not report.is_success
    assert "num_files: found 2, recorded 3" in report.failures[0].detail
    assert report.failures[0].id.startswith("dat__basic_append")
