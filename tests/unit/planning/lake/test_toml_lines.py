"""Each key of a TOML file is found at its line, whatever the names and values before it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from deltaresolver.planning.lake.toml_lines import TomlPath, line_at, lines_of
from tests.nasty import COLUMN_NAMES, PROPERTY_VALUES

TEXT = '''# [no.header]
title = "a # b"
[lake]
clients-files = [
  "a]", # ]
  'b"[',
]
note = """
[owner]
x = 1
"""
[[client]]
name = "trino@413"
[[client]]
name = "it's"
acts = ["read"]
[client.more]
"dotted.key" = { env = "[[" }
a."b.c".d = 1
[[client]]
name = "last"
'''


def leaves(value: Any, path: TomlPath = ()) -> Iterator[tuple[TomlPath, Any]]:
    """Every value that is no table, with its path."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, (*path, key))
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for place, one in enumerate(value):
            yield from leaves(one, (*path, place))
    else:
        yield path, value


def test_each_line_is_the_one_whose_removal_takes_the_key_away() -> None:
    lines = lines_of(TEXT)
    every = TEXT.splitlines()
    for path, _ in leaves(tomllib.loads(TEXT)):
        number = line_at(path, lines)
        if every[number - 1].rstrip().endswith(("[", '"""')):
            continue  # goes on in the next lines
        without = "\n".join([*every[: number - 1], "", *every[number:]])
        assert path not in dict(leaves(tomllib.loads(without))), path


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("lake", "clients-files"), 4),
        (("lake", "note"), 8),
        (("client", 0, "name"), 13),
        (("client", 1, "acts"), 16),
        (("client", 1, "more", "dotted.key"), 18),
        (("client", 1, "more", "a", "b.c", "d"), 19),
        (("client", 2), 20),
        (("client", 2, "missing"), 20),
        (("nowhere",), 1),
    ],
)
def test_a_key_has_the_line_where_it_stands(path: TomlPath, line: int) -> None:
    assert line_at(path, lines_of(TEXT)) == line


def quoted(text: str) -> str:
    """A basic text of TOML."""
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in text) + '"'


def test_no_name_or_value_moves_the_lines_after_it() -> None:
    words = [word for word in (*COLUMN_NAMES, *PROPERTY_VALUES) if not any(0xD800 <= ord(c) < 0xE000 for c in word)]
    pairs = (f"{quoted(f'{number} {word}')} = {quoted(word)}\n" for number, word in enumerate(words))
    text = "[tables]\n" + "".join(pairs)
    found = tomllib.loads(text)["tables"]
    lines = lines_of(text)
    for number, (name, value) in enumerate(found.items()):
        assert value == words[number]
        assert line_at(("tables", name), lines) == number + 2
