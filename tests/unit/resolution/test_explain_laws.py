"""What holds for every explanation, whatever the table."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import ManualEnablementError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.certificate import certify
from deltaresolver.resolution.explain.mermaid import escaped
from deltaresolver.resolution.explain.objections import condensed, pairs_in_words
from deltaresolver.resolution.explain.text import WIDTH
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolution import FORMATS, Resolution
from deltaresolver.resolution.resolve import resolve_new_table, resolve_upgrade
from tests.unit.resolution.explained_tables import TABLES, field, table

CATALOG = delta_spark_catalog()
NAMES = sorted(CATALOG.names)

PROPERTIES = st.dictionaries(
    st.sampled_from(
        [
            "delta.appendOnly",
            "delta.enableChangeDataFeed",
            "delta.enableDeletionVectors",
            "delta.enableRowTracking",
            "delta.enableIcebergCompatV1",
            "delta.constraints.positive",
        ]
    ),
    st.sampled_from(["true", "false"]),
)
ASKED = st.lists(st.sampled_from(NAMES), max_size=3)
CURRENT = st.sampled_from([None, *(Protocol.of(r, w) for r, w in ((1, 1), (1, 2), (1, 4), (2, 5), (2, 6)))])

unhurried = settings(deadline=None)
"""The first example builds the catalog, and machines that run tests are busy."""

NODE = r'(reason|feature)\d+(\["[^"\n]*"\]|\(\["[^"\n]*"\]\))|(reader|writer)\{\{"[^"\n]*"\}\}'
EDGE = r"(reason|feature)\d+ -->(\|requires\|)? (feature\d+|reader|writer)"
STYLE = r"classDef added stroke-width:3px|class feature\d+(,feature\d+)* added"
MERMAID_LINE = re.compile(rf"    ({NODE}|{EDGE}|{STYLE})")


@st.composite
def resolutions(draw: st.DrawFn) -> Resolution:
    """Resolutions of new and existing tables with features by property, by column and by name."""
    configuration = draw(PROPERTIES) | {f"delta.feature.{name}": "supported" for name in draw(ASKED)}
    columns = draw(st.lists(st.sampled_from(["long", "timestamp_ntz", "variant"]), min_size=1, max_size=7))
    fields = [field(f"c{n}", kind, nullable=draw(st.booleans())) for n, kind in enumerate(columns)]
    metadata = table(*fields).with_configuration(configuration)
    current = draw(CURRENT)
    try:
        if current is not None:
            return resolve_upgrade(metadata, current, CATALOG)
    except ManualEnablementError:
        pass
    return resolve_new_table(metadata, CATALOG)


@unhurried
@given(resolutions())
@example(resolve_upgrade(table(field("c0", "long")), Protocol.of(2, 6), CATALOG))
def test_text_names_every_feature_and_keeps_its_width(resolution: Resolution) -> None:
    text = resolution.explain("text")
    lines = text.splitlines()
    whole = re.sub(r"\n  (?! )", " ", text).splitlines()  # a heading of many names goes on in the next line
    headings = ", ".join(line[2:].partition(":")[0] for line in whole if line[:2] in ("+ ", "- "))
    assert set(filter(None, headings.split(", "))) == resolution.features
    assert [line for line in lines if len(line) > WIDTH and not line.startswith("             ALTER")] == []


@unhurried
@given(resolutions())
def test_markdown_has_a_row_for_every_feature(resolution: Resolution) -> None:
    rows = [line for line in resolution.explain("markdown").splitlines() if line.startswith("| `")]
    named = re.findall(r"`([^`]+)`", " ".join(re.split(r"(?<!\\)\|", row)[1] for row in rows))
    assert sorted(named) == sorted(resolution.features)
    assert all(len(re.split(r"(?<!\\)\|", row)) == 5 for row in rows)


@unhurried
@given(resolutions())
def test_mermaid_is_well_formed_and_complete(resolution: Resolution) -> None:
    first, *lines = resolution.explain("mermaid").splitlines()
    assert first == "flowchart LR"
    assert [line for line in lines if not MERMAID_LINE.fullmatch(line)] == []
    declared = set(re.findall(r"^    (\w+)[\[({]", "\n".join(lines), re.MULTILINE))
    used = {
        name for line in lines if "-->" in line for name in re.findall(r"(?:reason|feature)\d+|reader|writer", line)
    }
    assert used <= declared
    assert sum(name.startswith("feature") for name in declared) == len(resolution.features)


@unhurried
@given(st.text())
def test_a_mermaid_label_never_ends_its_node(text: str) -> None:
    assert re.fullmatch(r"(?:[^\W_]|[ .,:=\-/']|#\d+;)*", escaped(text))


@unhurried
@given(resolutions())
def test_every_lower_protocol_is_covered_by_one_objection_that_is_true_of_it(resolution: Resolution) -> None:
    certificate = resolution.certificate
    objections = condensed(certificate)
    told = [pair for objection in objections for pair in objection.pairs]
    lower = {(one.reader_version, one.writer_version): one for one in certificate.lower}
    assert sorted(told) == sorted(pair for pair, one in lower.items() if not one.will_do)
    for objection in objections:
        for pair in objection.pairs:
            one = lower[pair]
            true_of_it = one.cannot_carry if objection.problem == "cannot carry" else one.would_add
            assert set(objection.features) <= set(true_of_it)


@pytest.mark.parametrize("name", NAMES)
def test_a_certificate_is_printed_in_few_lines(name: str) -> None:
    prepared = prepare(CATALOG)
    features = prepared.closure((name,))
    protocol = prepared.lowest_protocol(features)
    assert len(condensed(certify(protocol, features, prepared))) <= 4


@unhurried
@given(st.sets(st.tuples(st.integers(1, 3), st.integers(1, 7)), min_size=1))
def test_version_ranges_mean_exactly_the_pairs(pairs: set[tuple[int, int]]) -> None:
    assert read_ranges(pairs_in_words(pairs)) == pairs


def read_ranges(words: str) -> set[tuple[int, int]]:
    """The pairs that a text such as `reader 1-2 with writer 1-6` means."""

    def numbers(text: str) -> list[int]:
        bounds = [part.split("-") for part in text.split(", ")]
        return [number for bound in bounds for number in range(int(bound[0]), int(bound[-1]) + 1)]

    if words.startswith("("):
        first, second = words.strip("()").split(", ")
        return {(int(first), int(second))}
    found = set()
    for part in words.split("; "):
        readers, writers = part.removeprefix("reader ").split(" with writer ")
        found |= {(reader, writer) for reader in numbers(readers) for writer in numbers(writers)}
    return found


def test_many_columns_stay_few_lines() -> None:
    assert len(TABLES["many_columns"]().explain("text").splitlines()) < 45
    assert len(TABLES["many_columns"]().explain("mermaid").splitlines()) < 25


def test_no_rendering_lets_a_name_control_the_terminal() -> None:
    for form in FORMATS:
        assert "\x1b" not in TABLES["odd_names"]().explain(form)


def test_ignoring_defaults_is_a_remedy_that_works() -> None:
    resolution = resolve_new_table(Metadata(), CATALOG)
    remedies = {remedy.text for one in resolution.explanations for remedy in one.remedies}
    assert remedies == {"Create the table with delta.ignoreProtocolDefaults = true."}
    cured = Metadata(configuration={"delta.ignoreProtocolDefaults": "true"})
    assert resolve_new_table(cured, CATALOG).features == frozenset()


@pytest.mark.parametrize("number", ["3", "4", "5", "6"])
def test_a_version_below_the_one_in_the_remedy_no_longer_implies_the_feature(number: str) -> None:
    asked = Metadata(configuration={"delta.minReaderVersion": "2", "delta.minWriterVersion": number})
    for one in resolve_new_table(asked, CATALOG).explanations:
        below = re.fullmatch(r"Set delta\.minWriterVersion below (\d)\.", one.remedies[0].text)
        assert below is not None
        cured = {"delta.minReaderVersion": "2", "delta.minWriterVersion": str(int(below[1]) - 1)}
        assert one.feature not in resolve_new_table(Metadata(configuration=cured), CATALOG).features
