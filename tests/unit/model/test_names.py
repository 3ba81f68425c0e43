"""Names in dotted texts: whatever a name holds, it comes back; what Spark finds no name in is refused."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deltaresolver.model.schema import quote_path, quoted, split_name, unquoted
from tests.nasty import COLUMN_NAMES, MAPPED_ONLY_NAMES

NAMES = st.sampled_from((*COLUMN_NAMES, *MAPPED_ONLY_NAMES)) | st.text(min_size=1, max_size=5)


@given(st.lists(NAMES, min_size=1, max_size=4))
@example(["`"])
@example(["``", "a.b", "."])
def test_names_are_read_back_as_they_were(names: list[str]) -> None:
    assert split_name(quote_path(tuple(names))) == tuple(names)
    assert split_name(".".join(map(quoted, names))) == tuple(names)
    assert [unquoted(quoted(name)) for name in names] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (" a", (" a",)),
        ("a b.c", ("a b", "c")),
        ("`a.b`.c", ("a.b", "c")),
        ("a.``", ("a", "")),
        ("`a``b`", ("a`b",)),
        ("é-1", ("é-1",)),
    ],
)
def test_blanks_and_signs_are_part_of_names(text: str, names: tuple[str, ...]) -> None:
    assert split_name(text) == names


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", "`a", "a`", "a`b`", "`a`b", "`a`.`", "```", "a.`b``"])
def test_what_is_not_a_name_is_refused(text: str) -> None:
    assert split_name(text) is None
