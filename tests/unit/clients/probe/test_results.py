"""Results of probes as files: kept, checked, and believed before what came with the package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.probe.results import FORMAT, kept_results, problems_of, read_result, store, with_results
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import MeasurementsUnreadableError
from tests.nasty import STRINGS

NEW = ["reader:3", "reads:a-feature-of-mine", "writer:7", "writes:a-feature-of-mine"]


def result(*runs: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "measured": "2026-11-19",
        "by": "a test",
        "machine": "here",
        "client": "delta-rs-python",
        "version": "1.6.6",
        "engine": "native",
        "packages": {},
        "runs": list(runs),
        **changes,
    }


def run(demands: list[str], codes: str = "ok ok ok", **changes: Any) -> dict[str, Any]:
    outcomes = dict(
        zip((act.value for act in Act), (None if one == "-" else one for one in codes.split()), strict=True)
    )
    return {"table": "t", "demands": demands, **outcomes, "why": {}, **changes}


def known_with(*results: dict[str, Any]) -> ClientKnowledge:
    shipped = default_knowledge()
    return ClientKnowledge(shipped.catalogue, with_results(shipped.measurements, results, shipped.catalogue))


def test_a_result_is_kept_and_read_again(tmp_path: Path) -> None:
    one = result(run(NEW))
    assert read_result(store(one, tmp_path / "deep" / "folder")) == one
    assert list(kept_results(tmp_path / "deep" / "folder")) == [one]
    assert list(kept_results(tmp_path / "nowhere")) == []


def test_what_was_measured_here_counts_as_measured() -> None:
    needs = TableNeeds(frozenset(NEW))
    release = "delta-rs-python/native@1.6.6"
    assert default_knowledge().verdict(release, needs, Act.READ).evidence.rank is not Rank.MEASURED
    known = known_with(result(run(NEW, "ok wrong -")))
    verdict = known.verdict(release, needs, Act.READ)
    assert (verdict.outcome, verdict.evidence.rank) == (Outcome.SILENTLY_WRONG, Rank.MEASURED)
    assert known.verdict(release, needs, Act.APPEND).evidence.rank is not Rank.MEASURED
    assert known.verdict(release, TableNeeds(frozenset()), Act.READ).works


def test_of_two_tables_with_the_same_demands_the_worse_counts() -> None:
    known = known_with(result(run(NEW, "ok wrong ok"), run(NEW, "ok ok refused")))
    needs = TableNeeds(frozenset(NEW))
    outcomes = [known.verdict("delta-rs-python/native@1.6.6", needs, act).outcome for act in Act]
    assert outcomes == [Outcome.WORKS, Outcome.SILENTLY_WRONG, Outcome.REFUSES]


def test_a_release_that_nobody_measured_and_a_client_nobody_knows() -> None:
    known = known_with(result(run([]), version="1.6.99"), result(run([]), client="nobody-s"))
    verdict = known.verdict("delta-rs-python/native@1.6.99", TableNeeds(frozenset()), Act.OPEN)
    assert verdict.evidence.rank is Rank.MEASURED
    assert "nobody-s" not in known.catalogue


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"format": "deltaresolver-probe/2"}, "format must be"),
        ({"client": None}, "client must be text"),
        ({"measured": "yesterday"}, "measured must be a day"),
        ({"runs": {}}, "runs must be a list"),
        ({"runs": [3]}, "run 1: must be a table"),
        ({"runs": [run(["reads"])]}, "no table demands 'reads'"),
        ({"runs": [run(NEW, open="fine")]}, "open must be one of"),
        ({"runs": [run(NEW, read=["ok"])]}, "read must be one of"),
        ({"runs": [run(NEW), {**run(NEW), "demands": "reader:3"}]}, "run 2: demands must be a list"),
    ],
)
def test_a_file_with_mistakes_is_refused_as_a_whole(wrong: dict[str, Any], told: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({**result(run(NEW)), **wrong}), encoding="utf-8")
    with pytest.raises(MeasurementsUnreadableError) as raised:
        list(kept_results(tmp_path))
    assert told in raised.value.message
    assert str(path) in raised.value.message


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"null"])
def test_what_is_not_a_result_at_all_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(MeasurementsUnreadableError):
        list(kept_results(tmp_path))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(STRINGS) | st.sampled_from(["ok", "reader:2"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["runs", "open", "demands"]), inner),
    max_leaves=8,
)


@given(ANYTHING, st.sampled_from(sorted(result())))
def test_any_value_is_accepted_or_reported(value: Any, key: str) -> None:
    changed = {**result(run(NEW)), key: value}
    if not list(problems_of(changed)):
        known_with(changed)
