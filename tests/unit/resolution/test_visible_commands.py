"""A command that is printed can be copied into a shell, whatever a table is called."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.resolution.explain.visible_text import visible_command, visible_line
from tests.nasty import COLUMN_NAMES, FOLDER_NAMES, STRINGS

CONTROLS = (
    "a\tb",
    "a\nb",
    "\x1b[31mred",
    "line\r\nbreak",
    "a\u200bb",
    "é\x01\x02f",
    "\x7f7",
    "##[command]x",
    "x'\n\\n",
    "\udcff",
)
NAMES = [name for name in (*CONTROLS, *FOLDER_NAMES, *COLUMN_NAMES, *STRINGS) if name and "\0" not in name]


def read_by_bash(text: str) -> list[str]:
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {text}"], check=True, capture_output=True)
    return [word.decode("utf-8", "surrogateescape") for word in done.stdout.split(b"\0")[:-1]]


def test_bash_reads_every_word_as_it_was_meant() -> None:
    command = " ".join(map(shlex.quote, NAMES))
    shown = visible_command(command)
    assert shown == visible_line(shown)
    assert read_by_bash(shown) == NAMES


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\0"), min_size=1), min_size=1, max_size=5))
def test_bash_reads_any_words_as_they_were_meant(words: list[str]) -> None:
    shown = visible_command(" ".join(map(shlex.quote, words)))
    assert shown == visible_line(shown)
    assert read_by_bash(shown) == [
        word.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") for word in words
    ]


@pytest.mark.parametrize(
    "command", ["deltaresolver plan /t --drop-feature v2Checkpoint", "deltaresolver alter '/a b' --set 'k=v'"]
)
def test_a_command_that_needs_no_quotes_stays_as_it_is(command: str) -> None:
    assert visible_command(command) == command


def test_text_that_is_not_a_command_is_shown_as_any_text() -> None:
    assert visible_command("it's\ta\nline") == "it's?a line"
