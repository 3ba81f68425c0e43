"""The kit fails each feature that breaks a law, and names the law in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import attrs
import pytest

from deltaresolver.errors import ComplianceError, DeltaResolverError
from deltaresolver.model import Metadata
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, MetadataChange, RemainingTable, Winner
from deltaresolver.model.feature import FeatureKind, LegacyVersion, Removal, TableFeature
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.row_rules import RowCondition
from deltaresolver.model.rules import (
    Custom,
    Evidence,
    Hints,
    Not,
    PropertyEvidence,
    PropertyIsTrue,
    PropertyPresent,
    Remedy,
)
from deltaresolver.model.support import SAFE, ReadAs, Support
from deltaresolver.model.view import TableView
from deltaresolver.plugins import hookimpl
from deltaresolver.testing import check_feature
from tests.metadata_by_hand import table

KEY = "acme.audited"
ON, OFF = (table({KEY: "true"}),), (Metadata(),)
GOOD = TableFeature(
    name="acmeAudited",
    kind=FeatureKind.WRITER,
    summary="Every change is audited.",
    spec_url="https://acme.example/audited",
    requires={"domainMetadata"},
    trigger=PropertyIsTrue(KEY),
    upgrades_existing_table=True,
)


def violated(feature: object, **keywords: Any) -> dict[str, str]:
    """The checks that fail, each with its first message."""
    with pytest.raises(ComplianceError) as caught:
        check_feature(feature, **({"switched_on": ON, "switched_off": OFF} | keywords))
    found: dict[str, str] = {}
    for violation in caught.value.details["violations"]:
        found.setdefault(violation["check"], violation["message"])
        assert violation["message"] in str(caught.value)
    return found


def test_a_good_feature_passes_as_value_as_function_and_as_plugin() -> None:
    class Plugin:
        @hookimpl
        def table_feature(self) -> list[TableFeature]:
            return [GOOD]

    for made in (GOOD, lambda: GOOD, Plugin, Plugin()):
        check_feature(made, switched_on=ON, switched_off=OFF)


def test_a_feature_of_another_plugin_may_be_required() -> None:
    other = attrs.evolve(GOOD, name="acmeOther", requires={"acmeAudited"})
    check_feature(other, beside=[GOOD], switched_on=ON, switched_off=OFF)
    assert "acmeAudited, which no plugin registers" in violated(other)["admission"]


def test_several_features_of_one_plugin_are_told_apart_by_name() -> None:
    other = attrs.evolve(GOOD, name="acmeOther")

    class Plugin:
        @hookimpl
        def table_feature(self) -> list[TableFeature]:
            return [GOOD, other]

    check_feature(Plugin, name="acmeOther", switched_on=ON, switched_off=OFF)
    with pytest.raises(ComplianceError, match="acmeAudited, acmeOther"):
        check_feature(Plugin, switched_on=ON, switched_off=OFF)


def test_a_plugin_that_brings_nothing_is_refused_with_the_reason() -> None:
    class Misspelt:
        @hookimpl
        def table_features(self) -> TableFeature:
            return GOOD

    with pytest.raises(ComplianceError, match="Did you mean table_feature"):
        check_feature(Misspelt)


def test_a_name_clash_and_all_other_violations_are_reported_together() -> None:
    found = violated(attrs.evolve(GOOD, name="RowTracking", summary="", spec_url="acme", trigger=PropertyPresent("x")))
    assert "registered already as rowTracking" in found["admission"]
    assert {"admission", "words", "fires"} <= found.keys()


@pytest.mark.parametrize(
    ("change", "check", "words"),
    [
        ({"name": "acme audited"}, "admission", "not a feature name"),
        ({"kind": FeatureKind.WRITER, "legacy": LegacyVersion(2, 5)}, "admission", "list of legacy features is closed"),
        ({"requires": {"acmeAudited"}}, "admission", "acmeAudited -> acmeAudited"),
        ({"summary": "Audited"}, "words", "not a sentence"),
        ({"spec_url": "acme.example"}, "words", "not the address"),
        ({"trigger": None}, "examples", "no trigger"),
        ({"trigger": PropertyIsTrue("acme.other")}, "fires", "does not fire"),
        ({"trigger": Not(PropertyPresent("x"))}, "evidence", "0 pieces"),
    ],
)
def test_one_wrong_field_is_found(change: dict[str, Any], check: str, words: str) -> None:
    assert words in violated(attrs.evolve(GOOD, **change))[check]


def test_a_trigger_needs_examples_both_ways() -> None:
    assert "switched_on" in violated(GOOD, switched_on=())["examples"]
    assert "switched_off" in violated(GOOD, switched_off=())["examples"]


def test_an_example_on_the_wrong_side_is_found() -> None:
    assert "the trigger fires" in violated(GOOD, switched_off=ON)["fires"]


# --- triggers that are functions ------------------------------------------------------------------


def _found(view: TableView) -> tuple[Evidence, ...]:
    value = view.properties.get(KEY)
    return (PropertyEvidence(KEY, value),) if value == "true" else ()


def raises_on_odd_values(view: TableView) -> tuple[Evidence, ...]:
    """Count."""
    int(view.properties.get(KEY, "0").replace("true", "1"))
    return _found(view)


def invents_evidence(view: TableView) -> tuple[Evidence, ...]:
    """Lie."""
    return (PropertyEvidence("acme.never", "set"),) if _found(view) else ()


def remembers(view: TableView, _asked: list[int] = [0]) -> tuple[Evidence, ...]:  # noqa: B006 - that is the fault
    """Change its mind."""
    _asked[0] += 1
    return _found(view) if _asked[0] % 2 else ()


def changes_metadata(view: TableView) -> tuple[Evidence, ...]:
    """Meddle."""
    view.metadata.configuration["acme.seen"] = "yes"  # type: ignore[index]
    return _found(view)


def _custom(function: Callable[[TableView], tuple[Evidence, ...]], where: Hints | None = None) -> TableFeature:
    rule = Custom(function, remedy=Remedy("Unset it."), where=where or Hints(properties=frozenset((KEY,))))
    return attrs.evolve(GOOD, trigger=rule)


@pytest.mark.parametrize(
    ("feature", "check", "words"),
    [
        (_custom(raises_on_odd_values), "total", "raised ValueError"),
        (_custom(invents_evidence), "evidence", "acme.never"),
        (_custom(remembers), "pure", "differently"),
        (_custom(_found, Hints(properties=frozenset(("acme.elsewhere",)))), "hints", "do not point"),
        (_custom(lambda view: _found(view)), "pickles", "function must be one of a module"),  # noqa: PLW0108 - a lambda
    ],
)
def test_a_faulty_function_is_found(feature: TableFeature, check: str, words: str) -> None:
    assert words in violated(feature)[check]


def test_a_trigger_that_changes_metadata_is_found() -> None:
    found = violated(_custom(changes_metadata), switched_on=(table({KEY: "true"}),), switched_off=(table(),))
    assert "read-only" in found["pure"]


def test_a_trigger_without_remedy_is_found() -> None:
    silent = SimpleNamespace(
        fires=lambda view: bool(_found(view)),
        evidence=_found,
        remedies=lambda view: (),
        hints=lambda: Hints(properties=frozenset((KEY,))),
        describe=lambda: "the property is true",
    )
    assert "no remedy" in violated(attrs.evolve(GOOD, trigger=silent))["remedies"]


def test_a_feature_may_wait_to_be_asked_on_existing_tables() -> None:
    check_feature(attrs.evolve(GOOD, upgrades_existing_table=False), switched_on=ON, switched_off=OFF)


# --- the whole life -----------------------------------------------------------------------------


class Endless(FeatureBehaviour):
    """Counts up whenever it is asked."""

    def amend_metadata(self, change: MetadataChange) -> Metadata:
        number = int(change.metadata.configuration.get("acme.n", "0"))
        return change.metadata.with_configuration({**change.metadata.configuration, "acme.n": str(number + 1)})


class Meddling(FeatureBehaviour):
    """Marks every table, whether or not it has the feature."""

    def amend_metadata(self, change: MetadataChange) -> Metadata:
        return change.metadata.with_configuration({**change.metadata.configuration, "acme.seen": "1"})


class NoDraft(FeatureBehaviour):
    def amend_draft(self, draft: Draft) -> Draft:
        return None  # type: ignore[return-value]


class TextConditions(FeatureBehaviour):
    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        return "id > 0"  # type: ignore[return-value]


class EndlessRemoval(FeatureBehaviour):
    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        return PreparatoryCommit(Operation("AGAIN", {}), table.metadata)


class FailingRace(FeatureBehaviour):
    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        raise KeyError("winner")


class Unfixable(FeatureBehaviour):
    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        raise DeltaResolverError("No.")


class FailingDomain(FeatureBehaviour):
    def find_trace(self, table: RemainingTable) -> str | None:
        return 5  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("behaviour", "check", "words"),
    [
        (Endless(), "whole_life", "DR"),
        (Meddling(), "leaves_others_alone", "changes tables that do not support it"),
        (NoDraft(), "whole_life", "NoDraft.amend_draft of"),
        (TextConditions(), "whole_life", "TextConditions.row_conditions of"),
        (EndlessRemoval(), "whole_life", "ends: DR"),
        (FailingRace(), "whole_life", "FailingRace.rebase of"),
        (Unfixable(), "whole_life", "does not say what to do"),
        (FailingDomain(), "whole_life", "FailingDomain.find_trace of"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, FeatureBehaviour) else None,
)
def test_a_behaviour_that_is_wrong_is_found_in_the_life_of_a_table(
    behaviour: FeatureBehaviour, check: str, words: str
) -> None:
    sick = attrs.evolve(GOOD, behaviour=behaviour, removal=Removal(drops_properties=(KEY,)))
    assert words in violated(sick)[check]


def test_a_drop_that_leaves_the_property_is_found() -> None:
    class Kept(FeatureBehaviour):
        """Nothing: the drop leaves what switches the feature on."""

    found = violated(attrs.evolve(GOOD, behaviour=Kept(), removal=Removal()))
    assert "whole_life" in found


@pytest.mark.parametrize("stated", [lambda metadata: {1: "id"}, lambda metadata: {"id": None}])
def test_columns_that_are_not_text_are_found(stated: Any) -> None:
    sick = attrs.evolve(
        GOOD, kind=FeatureKind.READER_WRITER, support=Support(read=ReadAs(columns=stated), rewrite=SAFE)
    )
    assert "(columns) of plugin" in violated(sick)["whole_life"]
    assert "not texts by the names of columns" in violated(sick)["whole_life"]


def test_a_test_of_files_that_answers_something_else_is_found() -> None:
    files: Any = lambda metadata, file: None  # noqa: E731 - as wrong as authors write it
    sick = attrs.evolve(GOOD, kind=FeatureKind.READER_WRITER, support=Support(read=ReadAs(files=files), rewrite=SAFE))
    assert "(files) of plugin" in violated(sick)["whole_life"]
