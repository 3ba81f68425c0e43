"""Shortened strings still bound the values they were cut from, in the order of UTF-8 bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.spark.writing.statistics.string_bounds import PREFIX_LENGTH, lower_bound, upper_bound

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=80) | st.text(
    st.sampled_from(["a", "\x7e", "\x7f", "é", "\uffff", "\U0010ffff", "😀"]), max_size=120
)


@given(TEXT)
def test_bounds_hold_and_are_short(value: str) -> None:
    low, high = lower_bound(value), upper_bound(value)
    assert low.encode() <= value.encode()
    assert len(low) <= PREFIX_LENGTH
    if high is not None:
        assert high.encode() >= value.encode()
        assert len(high.encode("utf-16-le")) // 2 <= 2 * PREFIX_LENGTH + 4 or high == value


@given(TEXT, TEXT)
def test_strings_with_the_same_beginning_stay_below_the_upper_bound(value: str, other: str) -> None:
    high = upper_bound(max(value, other, key=str.encode))
    assert high is None or (high.encode() >= value.encode() and high.encode() >= other.encode())


def test_short_ascii_is_kept() -> None:
    assert (lower_bound("abc"), upper_bound("abc")) == ("abc", "abc")
    assert upper_bound("x" * 40) == "x" * 32 + "\x7f"
    assert upper_bound("é" * 40) == "é" * 32 + "\U0010ffff"
    assert (lower_bound("😀" * 40), upper_bound("😀" * 40)) == ("😀" * 32, "😀" * 16 + "\U0010ffff")
