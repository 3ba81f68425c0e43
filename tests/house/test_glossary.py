"""The glossary is true: names that it lists as different are still in the code, and each word is listed once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tests.house.test_rooms import source_files

_ROW = re.compile(r"\| ([^|]+) \| [^|]+ \|")


def rows(text: str) -> list[str]:
    """The first cells of all tables, without their heads."""
    found = (_ROW.fullmatch(line) for line in text.splitlines())
    return [match[1] for match in found if match is not None and match[1] not in ("word", "name", "---")]


def test_names_listed_as_different_are_still_in_the_code(root: Path) -> None:
    _, _, rest = (root / "docs" / "glossary.md").read_text(encoding="utf-8").partition("still differ")
    wanted = {name for row in rows(rest) for name in re.findall(r"`(\w+)`", row)}
    source = " ".join(file.stem + " " + file.read_text(encoding="utf-8") for _, file in source_files(root))
    assert wanted
    assert {name for name in wanted if re.search(rf"\b{name}\b", source) is None} == set()


def test_no_word_is_listed_twice(root: Path) -> None:
    words = rows((root / "docs" / "glossary.md").read_text(encoding="utf-8"))
    assert len(words) > 40
    assert [word for word, count in Counter(words).items() if count > 1] == []
