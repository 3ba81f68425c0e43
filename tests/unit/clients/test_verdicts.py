"""How a verdict is reached: measured, between, stated, put together."""

from __future__ import annotations

from typing import Any

import pytest

from deltaresolver.clients.catalogue import ClientCatalogue
from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.measured.measurements import Measurements
from deltaresolver.clients.parsing import parse_clients
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_facts import TableFacts
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.model import Metadata, Protocol

A, B, BOTH = ["writer:7", "writes:a"], ["writer:7", "writes:b"], ["writer:7", "writes:a", "writes:b"]


def knowledge(*runs: tuple[str, str], needs: list[list[str]], **client: Any) -> ClientKnowledge:
    """One client `c` whose appends were measured: a letter for each of `needs`, per version."""
    (parsed,) = parse_clients(
        [{"id": "c", "knowledge": "source", "max_legacy_writer": 2, "paths": ["p"], **client}], "a test"
    )
    catalogue = ClientCatalogue.of([parsed])
    found = [
        {
            "client": "c",
            "path": "p",
            "version": version,
            "open": "-" * len(needs),
            "read": "-" * len(needs),
            "append": codes,
        }
        for version, codes in runs
    ]
    return ClientKnowledge(catalogue, Measurements.from_json({"needs": needs, "runs": found}, catalogue))


def ask(known: ClientKnowledge, version: str, demands: list[str]) -> tuple[Outcome, Rank]:
    verdict = known.verdict(f"c@{version}", TableNeeds(frozenset(demands)), Act.APPEND)
    return verdict.outcome, verdict.evidence.rank


def test_measured_at_the_version_is_believed_first() -> None:
    known = knowledge(("1.0.0", "o"), needs=[A], features={"a": {"write": False}})
    assert ask(known, "1.0.0", A) == (Outcome.WORKS, Rank.MEASURED)


def test_two_measured_versions_that_agree_speak_for_those_between() -> None:
    known = knowledge(("1.0.0", "r"), ("2.0.0", "r"), needs=[A])
    assert ask(known, "1.5.0", A) == (Outcome.REFUSES, Rank.BETWEEN)


def test_a_source_that_knows_of_a_change_between_them_is_heard() -> None:
    loose = {
        "acts": ["append"],
        "demands": ["writes:a"],
        "outcome": "silently wrong",
        "from": "1.4.0",
        "until": "1.6.0",
    }
    strict = {"acts": ["append"], "demands": ["writes:a"], "outcome": "refuses", "until": "1.3.9"}
    strict_again = {**strict, "until": None, "from": "1.6.1"}
    known = knowledge(("1.0.0", "r"), ("2.0.0", "r"), needs=[A], gates=[strict, loose, strict_again])
    assert ask(known, "1.5.0", A) == (Outcome.SILENTLY_WRONG, Rank.SOURCE)
    assert ask(known, "1.2.0", A) == (Outcome.REFUSES, Rank.BETWEEN)


def test_a_source_says_on_which_side_of_a_change_a_version_stands() -> None:
    known = knowledge(("1.0.0", "r"), ("2.0.0", "o"), needs=[A], features={"a": {"write": "1.5.0"}})
    assert ask(known, "1.4.9", A) == (Outcome.REFUSES, Rank.SOURCE)
    assert ask(known, "1.5.0", A) == (Outcome.WORKS, Rank.SOURCE)


def test_between_two_that_differ_the_worse_holds_with_a_warning() -> None:
    known = knowledge(("1.0.0", "w"), ("2.0.0", "o"), needs=[A])
    verdict = known.verdict("c@1.5.0", TableNeeds(frozenset(A)), Act.APPEND)
    assert verdict.outcome is Outcome.SILENTLY_WRONG
    assert "1.0.0 silently wrong, 2.0.0 works" in verdict.warning


def test_a_table_that_demands_more_than_a_refused_one_is_refused() -> None:
    known = knowledge(("1.0.0", "or"), needs=[A, B])
    verdict = known.verdict("c@1.0.0", TableNeeds(frozenset(BOTH)), Act.APPEND)
    assert verdict.outcome is Outcome.REFUSES
    assert verdict.feature == "b"


def test_parts_that_work_work_together_with_a_warning() -> None:
    known = knowledge(("1.0.0", "oo"), needs=[A, B])
    verdict = known.verdict("c@1.0.0", TableNeeds(frozenset(BOTH)), Act.APPEND)
    assert verdict.works
    assert "this combination was not" in verdict.warning


def test_a_table_that_demands_less_than_one_that_works_works() -> None:
    known = knowledge(("1.0.0", "o"), needs=[BOTH])
    assert ask(known, "1.0.0", A) == (Outcome.WORKS, Rank.MEASURED)


def test_harm_in_a_part_is_harm_in_the_whole_unless_something_refuses() -> None:
    known = knowledge(("1.0.0", "wo"), needs=[A, B])
    assert ask(known, "1.0.0", BOTH)[0] is Outcome.SILENTLY_WRONG
    known = knowledge(("1.0.0", "wr"), needs=[A, B])
    assert ask(known, "1.0.0", BOTH)[0] is Outcome.REFUSES


TOGETHER = {"acts": ["append"], "demands": ["writes:a", "writes:b"], "outcome": "works"}


@pytest.mark.parametrize(("needs", "codes", "asked", "outcome"), [(A, "r", BOTH, "works"), (BOTH, "o", A, "refuses")])
def test_a_rule_about_demands_that_meet_outweighs_tables_that_demand_less_or_more(
    needs: list[str], codes: str, asked: list[str], outcome: str
) -> None:
    claims = {"a": {"write": False}, "b": {"write": "1.0.0"}}
    known = knowledge(("1.0.0", codes), needs=[needs], features=claims, gates=[TOGETHER])
    assert ask(known, "1.0.0", asked) == (Outcome(outcome), Rank.SOURCE)


def test_the_use_of_a_feature_is_blamed_where_listing_it_alone_is_fine() -> None:
    used = [*A, "uses:a"]
    known = knowledge(("1.0.0", "o"), needs=[A], features={"a": {"write": False, "write_if_unused": "1.0.0"}})
    verdict = known.verdict("c@1.0.0", TableNeeds(frozenset(used)), Act.APPEND)
    assert (verdict.outcome, verdict.demand) == (Outcome.REFUSES, "uses:a")


def test_claims_decide_where_nothing_was_measured() -> None:
    known = knowledge(needs=[], features={"a": {"write": "2.0.0"}, "b": {"write": None}})
    assert ask(known, "2.0.0", ["writes:a"]) == (Outcome.WORKS, Rank.SOURCE)
    assert ask(known, "1.0.0", ["writes:a"]) == (Outcome.REFUSES, Rank.SOURCE)
    assert ask(known, "1.0.0", ["writes:b"])[0] is Outcome.UNKNOWN
    assert ask(known, "1.0.0", ["writer:3"])[0] is Outcome.REFUSES
    assert ask(known, "1.0.0", [])[0] is Outcome.WORKS


def test_a_feature_only_listed_may_work_where_one_in_use_does_not() -> None:
    known = knowledge(needs=[], features={"a": {"write": False, "write_if_unused": "1.0.0"}})
    assert ask(known, "1.0.0", ["writes:a"])[0] is Outcome.WORKS
    assert ask(known, "1.0.0", ["writes:a", "uses:a"])[0] is Outcome.REFUSES


def test_a_client_that_checks_a_list_refuses_what_is_not_on_it() -> None:
    assert ask(knowledge(needs=[], closed_list=True), "1.0.0", ["writes:new"])[0] is Outcome.REFUSES
    assert ask(knowledge(needs=[]), "1.0.0", ["writes:new"])[0] is Outcome.UNKNOWN


def test_readers_do_not_care_what_writers_must_know() -> None:
    needs = TableNeeds(frozenset({"writer:7", "writes:a-feature-of-tomorrow"}))
    verdict = default_knowledge().verdict("delta-spark@4.4.0", needs, Act.READ)
    assert verdict.works
    assert verdict.warning == ""


DELETED = ["reader:3", "writer:7", "reads:deletionVectors", "uses:deletionVectors", "deletion vectors present"]
MAPPED = ["reader:2", "writer:7", "writes:columnMapping", "uses:columnMapping"]
MAPPED_BY_NUMBER = ["reader:2", "writer:2", "writer:3", "writer:4", "writer:5", "uses:columnMapping"]
TIMED = ["writer:7", "writes:inCommitTimestamp", "uses:inCommitTimestamp"]


@pytest.mark.parametrize(
    ("client", "demands", "act", "feature"),
    [
        ("delta-rs-python/native@0.25.5", DELETED, Act.READ, "deletionVectors"),
        ("delta-rs-python/native@0.23.0", [*MAPPED_BY_NUMBER, "column mapping upgraded"], Act.READ, "columnMapping"),
        ("delta-rs-python/pyarrow@1.6.6", MAPPED, Act.READ, "columnMapping"),
        ("polars@1.30.0 (deltalake 0.25.5)", TIMED, Act.APPEND, "inCommitTimestamp"),
        ("daft@0.7.20 (deltalake 1.6.6)", MAPPED, Act.APPEND, "columnMapping"),
        ("presto@0.290", DELETED, Act.READ, "deletionVectors"),
    ],
)
def test_silent_harm_is_foreseen(client: str, demands: list[str], act: Act, feature: str) -> None:
    verdict = default_knowledge().verdict(client, TableNeeds(frozenset(demands)), act)
    assert verdict.outcome is Outcome.SILENTLY_WRONG
    assert verdict.feature == feature


def test_a_library_that_decides_must_be_named_or_known() -> None:
    needs = TableNeeds(frozenset({"reader:3", "writer:7", "reads:deletionVectors", "writes:deletionVectors"}))
    assert "deltalake 1.6.3" in default_knowledge().verdict("polars@1.43.2", needs, Act.READ).version
    unknown = default_knowledge().verdict("daft@0.5.0", needs, Act.READ)
    assert unknown.outcome is Outcome.UNKNOWN
    assert "deltalake" in unknown.reason


def test_a_verdict_is_data() -> None:
    value = default_knowledge().verdict("trino@468", TableNeeds(frozenset()), Act.READ).to_json()
    assert value["outcome"] == "works"
    assert value["evidence"]["rank"] == "read in the client's source"


# --- a library beside the client -----------------------------------------------------------------------


def beside(*runs: tuple[str, str], **client: Any) -> ClientKnowledge:
    return knowledge(*runs, needs=[A], **client)


def test_between_needs_measured_releases_on_both_sides_in_both_parts() -> None:
    known = beside(("1.0.0 (lib 1.0.0)", "r"), ("2.0.0 (lib 2.0.0)", "r"))
    assert ask(known, "1.5.0 (lib 1.5.0)", A) == (Outcome.REFUSES, Rank.BETWEEN)
    assert ask(known, "1.5.0 (lib 3.0.0)", A)[1] is Rank.INFERRED
    assert ask(known, "1.5.0 (lib 0.9.0)", A)[1] is Rank.INFERRED


def test_a_newer_client_beside_an_older_library_lies_on_no_side() -> None:
    known = beside(("1.0.0 (lib 2.0.0)", "r"), ("2.0.0 (lib 1.0.0)", "r"))
    verdict = known.verdict("c@1.5.0 (lib 1.5.0)", TableNeeds(frozenset(A)), Act.APPEND)
    assert verdict.evidence.rank is Rank.INFERRED
    assert "nearest measured" in verdict.warning


def test_all_next_ones_on_a_side_have_to_agree() -> None:
    runs = (("1.0.0 (lib 2.0.0)", "r"), ("2.0.0 (lib 1.0.0)", "o"), ("3.0.0 (lib 3.0.0)", "r"))
    verdict = beside(*runs).verdict("c@2.5.0 (lib 2.5.0)", TableNeeds(frozenset(A)), Act.APPEND)
    assert verdict.outcome is Outcome.REFUSES
    assert verdict.evidence.rank is Rank.INFERRED


def polars(version: str, library: str, *demands: str) -> Outcome:
    needs = TableNeeds(frozenset(demands))
    return default_knowledge().verdict(f"polars@{version} (deltalake {library})", needs, Act.READ).outcome


@pytest.mark.parametrize("version", ["1.35.2", "1.38.1", "1.40.1", "1.43.2", "1.44.2", "2.0.0"])
def test_polars_follows_the_constants_of_the_deltalake_beside_it(version: str) -> None:
    assert polars(version, "1.6.3", *MAPPED_BY_NUMBER) is Outcome.REFUSES
    assert polars(version, "1.6.6", *MAPPED_BY_NUMBER) is Outcome.SILENTLY_WRONG


def test_polars_has_constants_of_its_own_since_two_one() -> None:
    assert polars("2.1.0", "1.6.6", *MAPPED_BY_NUMBER) is Outcome.REFUSES


def test_a_list_taken_from_a_library_yields_to_rules_of_the_client() -> None:
    demands = ("reader:3", "writer:7", "reads:deletionVectors", "writes:deletionVectors")
    assert polars("1.40.0", "1.4.2", *demands) is Outcome.WORKS
    assert polars("1.38.0", "1.4.2", *demands) is Outcome.REFUSES


def test_a_preview_name_in_the_list_is_judged_by_itself() -> None:
    preview = frozenset({"reader:3", "writer:7", "reads:x-preview", "writes:x-preview", "uses:x"})
    known = knowledge(
        needs=[],
        features={"x": {"read": "2.0.0", "write": "2.0.0"}, "x-preview": {"read": "1.0.0", "write": "1.0.0"}},
        table_features_since={"reader": "1.0.0", "writer": "1.0.0"},
    )
    assert known.verdict("c@1.0.0", TableNeeds(preview), Act.APPEND).works


def test_partition_columns_are_taken_to_be_in_the_files_unless_known_not_to_be() -> None:
    metadata = Metadata(partition_columns=("p",))
    protocol = Protocol(1, 2)
    assert "partition columns in files" in TableNeeds.of(protocol, metadata).demands
    known = TableFacts(partition_columns=False)
    assert "partition columns in files" not in TableNeeds.of(protocol, metadata, known).demands
