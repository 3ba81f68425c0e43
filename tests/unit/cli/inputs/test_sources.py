"""Short forms of protocols, and properties on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.cli.inputs.json_input import described_by
from deltaresolver.cli.inputs.property_changes import read_pairs
from deltaresolver.cli.inputs.protocol_input import read_protocol
from deltaresolver.errors import CommandUsageError, DeltaResolverError, InvalidInputError, ProtocolMalformedError
from deltaresolver.model.protocol import Protocol

NAMES = st.lists(st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,9}", fullmatch=True), max_size=3)


@contextmanager
def fix_demanded() -> Iterator[None]:
    """An error that is raised inside says what to do."""
    try:
        yield
    except DeltaResolverError as error:
        if not error.fix:
            raise AssertionError(error.message) from error
        raise


@st.composite
def protocols(draw: st.DrawFn) -> Protocol:
    reader_version = draw(st.integers(0, 4))
    writer_version = draw(st.integers(7 if reader_version >= 3 else 0, 8))
    return Protocol.of(reader_version, writer_version, draw(NAMES), draw(NAMES))


@given(protocols())
def test_a_protocol_is_read_from_what_it_is_written_as(protocol: Protocol) -> None:
    assert read_protocol(str(protocol)) == protocol
    assert read_protocol(json.dumps(protocol.to_json())) == protocol
    assert read_protocol(json.dumps({"protocol": protocol.to_json()})) == protocol


@pytest.mark.parametrize("text", ["1,2", "1, 2", " (1, 2) ", "1/2", "1 2"])
def test_a_pair_of_versions_has_several_forms(text: str) -> None:
    assert read_protocol(text) == Protocol.of(1, 2)


@given(st.text() | st.from_regex(r"[0-9(),\[\]{}\":a-zN ]{0,20}", fullmatch=True))
@settings(deadline=None)
def test_any_other_text_is_refused_with_a_fix(text: str) -> None:
    with suppress(ProtocolMalformedError), fix_demanded():
        read_protocol(text)


@given(st.binary() | st.from_regex(rb"[\[\]{}\":,a-z0-9\n ]{0,40}", fullmatch=True))
@settings(deadline=None)
def test_any_bytes_describe_a_table_or_are_refused_with_a_fix(data: bytes) -> None:
    with suppress(InvalidInputError), fix_demanded():
        described_by(data, "input")


def test_a_value_may_hold_the_sign_that_separates_it() -> None:
    assert read_pairs(["delta.constraints.c=a = b", "x="], "--set") == {"delta.constraints.c": "a = b", "x": ""}


def test_a_text_without_a_key_is_refused() -> None:
    with pytest.raises(CommandUsageError, match="not of the form key=value"):
        read_pairs([" =1"], "--set")
