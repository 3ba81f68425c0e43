"""The recorder against the real delta-spark: its format, its reach, and the recorded answers it must give again."""

import secrets
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.peers.delta_spark import DeltaSpark
from tests.peers.random_protocol import KNOWN_FEATURES
from tests.peers.record_resolver import read_cases, record, write_cases
from tests.peers.resolver_cases import ALGEBRA, KIND_WEIGHTS, random_questions
from tests.peers.skipping import skip_or_fail

Json = dict[str, Any]

pytest_plugins = ["tests.peers.fixtures"]

RECORDED = Path(__file__).parents[1] / "recorded" / "resolver.jsonl.gz"
SEED = 440
INPUTS = {
    "new_table": {"metadata", "session"},
    "min_components": {"metadata", "session"},
    "upgrade": {"metadata", "protocol"},
    "auto_enabled": {"metadata", "protocol"},
    "auto_components": {"metadata", "protocol"},
    "for_table_feature": {"feature"},
}
ALGEBRA_INPUTS = {
    "merge": {"others"}, "canUpgradeTo": {"to"}, "canDowngradeTo": {"to", "feature"}, "removeFeature": {"feature"},
    "withFeature": {"feature"}, "withFeatures": {"features"},
}  # fmt: skip
NAMES_OPS = {"implicitlySupportedFeatures", "implicitlyAndExplicitlySupportedFeatures"}
HASH_ORDERED = {"DELTA_FEATURE_REQUIRES_HIGHER_READER_VERSION", "DELTA_FEATURE_REQUIRES_HIGHER_WRITER_VERSION"}


@pytest.fixture(scope="module")
def fresh() -> list[Json]:
    """A few hundred cases nobody has seen before, recorded from delta-spark in a JVM of its own."""
    with skip_or_fail():
        return record(secrets.randbelow(2**31), 400)


@pytest.mark.peer
def test_fresh_cases_have_the_recorded_format(fresh: list[Json]) -> None:
    assert len({case["id"] for case in fresh}) == len(fresh) == 400
    problems = [f"{case['id']}: {problem}" for case in fresh for problem in format_problems(case)]
    assert problems == []


@pytest.mark.peer
def test_fresh_cases_reach_every_kind_and_both_outcomes(fresh: list[Json]) -> None:
    kinds = Counter(case["kind"] for case in fresh)
    assert set(kinds) == {*KIND_WEIGHTS, "for_table_feature"}
    assert {case["feature"] for case in fresh if case["kind"] == "for_table_feature"} == set(KNOWN_FEATURES)
    outcomes = Counter("error" if "error" in case["expect"] else "ok" for case in fresh)
    assert outcomes["error"] >= 20
    assert outcomes["ok"] >= 200


@pytest.mark.peer
def test_fresh_cases_survive_being_written_and_read(fresh: list[Json], tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl.gz", tmp_path / "second.jsonl.gz"
    write_cases(fresh, first)
    write_cases(read_cases(first), second)
    assert read_cases(first) == fresh
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.peer
def test_recording_our_set_again_gives_the_same_answers() -> None:
    recorded = read_cases(RECORDED)
    with skip_or_fail():
        again = record(SEED, len(recorded))
    assert [case["id"] for case, other in zip(recorded, again, strict=True) if case != other] == []


@pytest.mark.peer
def test_delta_spark_answers_the_same_alone_and_in_our_session(delta_spark: DeltaSpark, fresh: list[Json]) -> None:
    different = [case["id"] for case in fresh if not same_answer(case["expect"], delta_spark.answer(case))]
    assert different == []


@pytest.mark.peer
def test_a_question_that_the_recorder_cannot_understand_is_an_error(delta_spark: DeltaSpark) -> None:
    answered = delta_spark.answer({"id": "none", "kind": "for_table_feature", "feature": "noSuchFeature"})
    assert answered["error"]["class"] == "NoSuchElementException"


def test_questions_depend_on_the_seed_alone() -> None:
    assert list(random_questions(5, 300)) == list(random_questions(5, 300))
    assert list(random_questions(5, 300)) != list(random_questions(6, 300))


def test_our_readme_gives_the_command_that_made_the_set() -> None:
    command = f"--seed {SEED} --cases {len(read_cases(RECORDED))} tests/recorded/resolver.jsonl.gz"
    assert command in (RECORDED.parent / "README.md").read_text(encoding="utf-8")


def test_our_recorded_set_has_the_recorded_format() -> None:
    cases = read_cases(RECORDED)
    problems = [f"{case['id']}: {problem}" for case in cases for problem in format_problems(case)]
    assert problems == []


def test_our_recorded_set_asks_every_operation_and_every_feature() -> None:
    cases = read_cases(RECORDED)
    assert {case["op"] for case in cases if case["kind"] == "algebra"} == set(ALGEBRA)
    answered = {name for case in cases if case["kind"] == "auto_enabled" for name in case["expect"].get("ok", ())}
    assert answered == set(KNOWN_FEATURES)


def same_answer(recorded: Json, again: Json) -> bool:
    """Whether two answers agree; which feature an error names, when several are at fault, is hash order."""
    if recorded == again:
        return True
    conditions = {answer.get("error", {}).get("condition") for answer in (recorded, again)}
    return conditions <= HASH_ORDERED


def format_problems(case: Json) -> list[str]:
    """What is wrong with the shape of one recorded case."""
    given = set(case) - {"id", "kind", "expect"}
    wanted = (
        {"op", "protocol"} | ALGEBRA_INPUTS.get(case["op"], set())
        if case["kind"] == "algebra"
        else INPUTS[case["kind"]]
    )
    problems = [] if given == wanted else [f"inputs are {sorted(given)}"]
    expect = case["expect"]
    if set(expect) == {"ok"}:
        return problems + ([] if value_is_well_formed(case, expect["ok"]) else [f"value is {expect['ok']!r}"])
    if set(expect) != {"error"}:
        return [*problems, f"expect holds {sorted(expect)}"]
    error = expect["error"]
    if not {"class", "message"} <= set(error) or ("condition" in error) != ("params" in error):
        problems.append(f"error holds {sorted(error)}")
    return problems


def value_is_well_formed(case: Json, value: Any) -> bool:
    """Whether a value is of the form its kind or operation gives."""
    kind, op = case["kind"], case.get("op")
    if kind in {"min_components", "auto_components"}:
        return set(value) == {"minReaderVersion", "minWriterVersion", "features"} and are_sorted(value["features"])
    if kind == "auto_enabled" or op in NAMES_OPS:
        return are_sorted(value)
    if op in {"canUpgradeTo", "canDowngradeTo"}:
        return isinstance(value, bool)
    if op == "supported":
        return set(value) == {"read", "write"}
    if kind == "upgrade" and value is None:
        return True
    return {"minReaderVersion", "minWriterVersion"} <= set(value) and all(
        are_sorted(value[listed]) for listed in ("readerFeatures", "writerFeatures") if listed in value
    )


def are_sorted(names: list[str]) -> bool:
    return names == sorted(names)
