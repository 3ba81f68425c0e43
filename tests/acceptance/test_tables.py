"""Real tables of other projects, and what two other implementations recorded of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.testing.tables_conformance import ConformanceReport, Outcome, iterate_tables, run_tables
from tests.archives import unpack


@pytest.fixture(scope="module")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    unpack(shared / "conformance" / "tables.tar.gz", folder)
    return next(folder.rglob("index.json")).parent


@pytest.fixture(scope="module")
def report(corpus: Path) -> ConformanceReport:
    return run_tables(corpus)


def test_every_scored_table_and_version_is_as_recorded(report: ConformanceReport) -> None:
    assert [(result.label, result.differences) for result in report.failures] == []
    assert report.count(Outcome.PASSED) > 300


def test_known_differences_are_only_about_counting_tombstones(report: ConformanceReport) -> None:
    known = [result for result in report.results if result.outcome is Outcome.KNOWN_DIFFERENCE]
    assert all(difference.startswith("num_removes") for result in known for difference in result.differences)


def test_where_recorded_implementations_disagree_the_primary_one_is_followed(report: ConformanceReport) -> None:
    differing = [result for result in report.results if result.outcome is Outcome.CONTESTED_DIFFERS]
    # Both recorded implementations refuse geometry for want of support, which is no fact about the log.
    assert [result.name for result in differing] == ["kernel-rs__table-with-geo"]


def test_one_table_can_be_run_alone(corpus: Path) -> None:
    results = list(iterate_tables(corpus, ["dat__no_replay"]))
    assert {result.name for result in results} == {"dat__no_replay"}
    assert all(result.outcome is Outcome.PASSED for result in results)


def test_a_wrong_fact_fails_with_the_difference(corpus: Path) -> None:
    expectation = corpus / "expect" / "dat__basic_append.json"
    text = expectation.read_text()
    expectation.write_text(text.replace('"num_files": 2', '"num_files": 3'))
    try:
        results = list(iterate_tables(corpus, ["dat__basic_append"]))
    finally:
        expectation.write_text(text)
    failed = [result for result in results if result.outcome is Outcome.FAILED]
    assert failed
    assert any("num_files: found 2, recorded 3" in difference for difference in failed[0].differences)
