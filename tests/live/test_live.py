"""A small share of what `python -m tests.live` asks, and the record that its runs go on from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs
import pytest

from deltaresolver.testing.conformance.known.choices import CLUSTERING_STAYS
from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from tests.live.__main__ import answered_batches
from tests.live.commit_difference import (
    FEWER_FILES,
    differences_of_commits,
    known_difference,
)
from tests.live.commit_log import ReadLog
from tests.live.commit_programs import random_programs
from tests.live.kinds import KINDS, compare
from tests.live.record import Record
from tests.peers.answering_jvm import Answers, answering_jvm
from tests.peers.record_resolver import read_cases
from tests.peers.unavailable import PeerUnavailableError

Json = dict[str, Any]

SHARE = {"resolver": (440, 4_200), "conflicts": (20_000, 20), "ddl": (3_000, 6), "transitions": (20_000, 6)}
"""Seeds and numbers of cases that were asked before, so that no test run depends on luck; new seeds are for
`python -m tests.live`."""


@pytest.mark.peer
@pytest.mark.slow
def test_delta_spark_and_the_library_answer_alike() -> None:
    try:
        with answering_jvm() as answers:
            reports = [_report_of(name, answers) for name in sorted(SHARE)]
    except PeerUnavailableError as error:
        pytest.skip(f"delta-spark cannot be run: {error}")
    assert [f"{one.id}: {one.detail}" for report in reports for one in report.failures] == []
    assert all(report.passed for report in reports)


def _report_of(name: str, answers: Answers) -> ConformanceReport:
    kind = KINDS[name]
    return compare(kind, kind.ask(kind.cases(*SHARE[name]), answers))[0]


def test_an_interrupted_run_goes_on_from_its_record(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    meant = ConformanceReport("ddl", 8, (), (KnownDifference("b", "why"),), 40, 31)
    Record.open(path).add("ddl", 7, 10, meant, Counter(ok=39, DELTA_SOMETHING=1), 2.4)
    again = Record.open(path)
    assert again.has("ddl", 7, 10)
    assert not again.has("ddl", 7, 11)
    assert not again.has("ddl", 8, 1)
    again.add("ddl", 8, 5, ConformanceReport("ddl", 5, statements=20, compared=20), Counter(ok=20), 1.0)
    totals = Record.open(path).totals("ddl")
    assert (totals["asked"], totals["cases"], totals["passed"], totals["failures"]) == (15, 14, 13, 0)
    assert (totals["compared"], totals["statements"], totals["known"], totals["answers"]) == (51, 60, 1, 2)
    assert again.content["ddl"]["batches"]["7"]["known"] == {"why": 1}
    assert Record.open(None).totals("ddl")["cases"] == 0


def test_a_batch_with_differences_is_asked_again(tmp_path: Path) -> None:
    record = Record.open(tmp_path / "runs.json")
    differing = ConformanceReport("ddl", 8, (Failure("a", "x" * 900),))
    record.add("ddl", 7, 9, differing, Counter(ok=9), 2.4)
    assert len(record.content["ddl"]["batches"]["7"]["failed"]["a"]) == 500
    assert not record.has("ddl", 7, 9)
    record.add("ddl", 7, 9, ConformanceReport("ddl", 9), Counter(ok=9), 2.4)
    assert record.has("ddl", 7, 9)
    assert record.content["ddl"]["reached"] == {"ok": 9}


def test_the_next_batch_is_answered_while_one_is_compared() -> None:
    asked: list[int] = []

    def ask(cases: Iterable[Json], _: Answers) -> list[Json]:
        found = list(cases)
        asked.append(len(found))
        return found

    kind = attrs.evolve(KINDS["ddl"], ask=ask, cases=lambda seed, count: iter([{"seed": seed}] * count))
    wanted = [("one", (1, 3)), ("other", (2, 2))]
    answered = list(answered_batches({"one": kind, "other": kind}, wanted, lambda *_: []))
    assert answered == [(wanted[0], [{"seed": 1}] * 3), (wanted[1], [{"seed": 2}] * 2)]
    assert asked == [3, 2]


@pytest.mark.parametrize("name", sorted(set(KINDS) - {"transitions", "suites", "others", "steered", "related"}))
def test_answers_that_were_recorded_are_compared_like_new_ones(name: str, root: Path, tmp_path: Path) -> None:
    recorded = read_cases(root / "tests" / "recorded" / f"{name}.jsonl.gz")[:300]
    report, reached = compare(KINDS[name], recorded, tmp_path / "kept.jsonl")
    assert report.failures == ()
    assert report.passed + len(report.known_differences) == len(recorded)
    assert sum(reached.values()) >= len(recorded)
    assert read_cases(tmp_path / "kept.jsonl") == recorded


def test_commits_differ_in_what_is_not_of_one_run_alone() -> None:
    info = {"timestamp": 1, "operation": "WRITE", "operationParameters": {"partitionBy": "[]"}, "txnId": "a"}
    add = {"path": "a", "partitionValues": {"p": "1"}, "size": 1, "dataChange": True, "stats": '{"numRecords":1}'}
    mine = [{"commitInfo": info}, {"add": add}]
    theirs = [{"commitInfo": {**info, "timestamp": 2, "txnId": "b"}}, {"add": {**add, "path": "b", "size": 2}}]
    assert differences_of_commits(mine, theirs) == []
    assert differences_of_commits(mine, None) == ["only here"]
    theirs[1]["add"]["dataChange"] = False
    assert differences_of_commits(mine, theirs) == ["add.dataChange here True, there False"]
    assert "there ['commitInfo']" in differences_of_commits(mine, theirs[:1])[0]


def _commits_of(**info: Any) -> list[list[dict[str, Any]]]:
    kept = {"operation": "DELETE", "operationParameters": {}, "operationMetrics": {}}
    return [[{"commitInfo": kept | {key: value}}] for key, values in info.items() for value in values]


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("p = DATE'2024-01-01'", "(p#12 = 2024-01-01)"),
        ("t.`id` = s.id AND s.v = 'a b'", "((id#1L = cast(id#2 as bigint)) AND (cast(v#3 as string) = a b))"),
        ("p = CAST('1' AS DECIMAL(10,2))", "(p#4 = cast(1 as decimal(10,2)))"),
    ],
)
def test_a_condition_may_be_spelt_as_spark_prints_it(here: str, there: str) -> None:
    def told(condition: str) -> dict[str, str]:
        return {"predicate": json.dumps([condition])}

    mine, theirs = _commits_of(operationParameters=[told(here), told(there)])
    assert differences_of_commits(mine, theirs) == []
    mine, theirs = _commits_of(operationParameters=[told(here), told(there.replace("=", "<"))])
    assert "operationParameters" in differences_of_commits(mine, theirs)[0]


def test_conditions_of_clauses_may_be_spelt_otherwise_too() -> None:
    def clauses(condition: str) -> dict[str, str]:
        return {"matchedPredicates": json.dumps([{"actionType": "delete", "predicate": condition}])}

    same = [clauses("s.v IS NULL"), clauses("(v#7 IS NULL)")]
    assert differences_of_commits(*_commits_of(operationParameters=same)) == []
    other = [clauses("s.v IS NULL"), clauses("(v#7 IS NOT NULL)")]
    assert differences_of_commits(*_commits_of(operationParameters=other)) != []


def test_a_test_for_null_may_be_answered_already() -> None:
    def clauses(condition: str) -> dict[str, str]:
        return {"matchedPredicates": json.dumps([{"actionType": "delete", "predicate": condition}])}

    same = [clauses("s.v IS NULL"), clauses("false")]
    assert differences_of_commits(*_commits_of(operationParameters=same)) == []
    for other in ("true", "(v#7 = 1)"):
        asked = [clauses("s.v IS NULL"), clauses(other)]
        assert "predicate" in differences_of_commits(*_commits_of(operationParameters=asked))[0]


def test_a_table_that_stays_clustered_where_rows_are_overwritten_is_a_known_difference() -> None:
    def domain(*columns: str) -> Json:
        text = json.dumps({"clusteringColumns": columns}, separators=(",", ":"))
        return {"domainMetadata": {"domain": "delta.clustering", "configuration": text, "removed": False}}

    mine: list[Json] = [{"add": {"partitionValues": {}, "dataChange": True}}]
    assert known_difference("INSERT OVERWRITE ...", mine, [*mine, domain()]) == CLUSTERING_STAYS
    assert known_difference("INSERT OVERWRITE ...", mine, [*mine, domain("a")]) is None
    assert known_difference("INSERT OVERWRITE ...", [*mine, domain()], mine) is None
    assert known_difference("DELETE ...", mine, [*mine, domain()]) is None


def test_metrics_are_compared_but_for_sizes_and_times() -> None:
    same = [{"numDeletedRows": "2", "numAddedBytes": "9", "scanTimeMs": "3"},
            {"numDeletedRows": "2", "numAddedBytes": "8", "scanTimeMs": "4", "rewriteTimeMs": "1"}]  # fmt: skip
    assert differences_of_commits(*_commits_of(operationMetrics=same)) == []
    other = _commits_of(operationMetrics=[same[0], {**same[1], "numDeletedRows": "3"}])
    assert "numDeletedRows" in differences_of_commits(*other)[0]


def test_files_that_merge_rewrites_for_nothing_are_a_known_difference() -> None:
    mine: list[Json] = [{"add": {}}]
    theirs: list[Json] = [{"add": {}}, {"remove": {}}]
    assert known_difference("MERGE ... WHEN NOT MATCHED BY SOURCE THEN DELETE", mine, theirs) == FEWER_FILES
    assert known_difference("MERGE ... WHEN NOT MATCHED BY SOURCE THEN DELETE", theirs, mine) is None
    assert known_difference("DELETE ...", mine, theirs) is None


def test_columns_are_compared_by_the_names_that_users_know(tmp_path: Path) -> None:
    def log(folder: str, made_up: str) -> list[list[dict[str, Any]]]:
        field = {"name": "a", "type": "long", "metadata": {"delta.columnMapping.physicalName": made_up}}
        schema = json.dumps({"type": "struct", "fields": [{"name": "s", "type": {"fields": [field]}}]})
        lines = [{"metaData": {"schemaString": schema, "configuration": {}}},
                 {"add": {"partitionValues": {}, "dataChange": True, "stats": f'{{"nullCount":{{"{made_up}":0}}}}'}},
                 {"domainMetadata": {"domain": "d", "configuration": "{}"}}]  # fmt: skip
        place = tmp_path / folder / "_delta_log"
        place.mkdir(parents=True)
        for version in range(2):
            text = "\n".join(map(json.dumps, lines))
            (place / f"{version:020}.json").write_text(text, encoding="utf-8")
        return ReadLog().new_commits(tmp_path / folder)

    here, there = (
        log(name, f"col-{digit * 8}-1111-1111-1111-{digit * 12}") for name, digit in (("x", "a"), ("y", "b"))
    )
    assert here == there
    assert [len(lines) for lines in here] == [3, 2]


def test_the_same_seed_gives_the_same_programs() -> None:
    programs = list(random_programs(7, 5))
    assert programs == list(random_programs(7, 5))
    assert all("TABLE T!" in " ".join(one["steps"]) for one in programs)


def test_how_many_files_hold_the_rows_of_a_partition_is_not_a_difference() -> None:
    def adds(*counts: int) -> list[dict[str, Any]]:
        stats = (f'{{"numRecords":{count},"minValues":{{"id":{count}}}}}' for count in counts)
        files = ({"path": text, "partitionValues": {}, "dataChange": True, "stats": text} for text in stats)
        return [{"add": file} for file in files]

    assert differences_of_commits(adds(2), adds(2)) == []
    assert differences_of_commits(adds(2, 5), adds(5, 2)) == []
    (told, *_) = [one for one in differences_of_commits(adds(2, 5), adds(2)) if "numRecords" in one]
    assert told == "add.stats.numRecords here 7, there 2"


def test_the_page_states_what_the_record_has(root: Path) -> None:
    record = Record.open(root / "tests" / "live" / "recorded_runs.json")
    assert record.table() in (root / "docs" / "same-answers.md").read_text(encoding="utf-8")
    assert sum(record.totals(kind)["failures"] for kind in record.content) == 0
