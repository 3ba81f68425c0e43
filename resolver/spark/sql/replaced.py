"""The text of a query with other names for tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from deltaresolver.spark.names.identifiers import shown_name
from deltaresolver.spark.sql.relations import Relation
from deltaresolver.spark.sql.words import StatementWords

_BRACES = re.compile(r"[{}]")
_Edit = tuple[int, int, str]
"""From one place of the text to another, and what comes instead."""


def replaced_text(
    words: StatementWords, found: Sequence[Relation], names: Mapping[int, str], *, escapes: bool = False
) -> str:
    """The text with other names for relations, which keep the names that columns may be qualified by.

    With `escapes`, braces elsewhere are doubled, as `str.format` wants them.
    """
    pieces: list[str] = []
    place = 0
    for start, end, text in sorted([*_names(words, found, names), *_qualifiers(words, found)]):
        pieces += [_kept(words.text[place:start], escapes=escapes), text]
        place = end
    return "".join([*pieces, _kept(words.text[place:], escapes=escapes)])


def _kept(text: str, *, escapes: bool) -> str:
    return _BRACES.sub(lambda brace: brace[0] * 2, text) if escapes else text


def _names(words: StatementWords, found: Sequence[Relation], names: Mapping[int, str]) -> Iterator[_Edit]:
    for number, relation in enumerate(found):
        yield words.words[relation.first].start, words.words[relation.end - 1].end, names[number]
        if relation.alias_at is not None and relation.called is None:
            behind = words.words[relation.alias_at - 1].end
            yield behind, behind, f" AS {shown_name((relation.name[-1],))}"


def _qualifiers(words: StatementWords, found: Sequence[Relation]) -> Iterator[_Edit]:
    """Columns called by the whole name of a table, `db.t.id`: the name of what comes instead has one part."""
    wanted = {_lowered(each.name): each.name for each in found if len(each.name) > 1 and each.alias is None}
    inside = [range(each.first, each.end) for each in found]
    for place, word in enumerate(words.words):
        is_first = word.is_name and not (place and words.words[place - 1].key == ".")
        if not wanted or not is_first or any(place in each for each in inside):
            continue
        ahead = StatementWords(words.text, words.words, words.reading)
        ahead.place = place
        chain = _chain(ahead)
        name = next(
            (each for key, each in wanted.items() if len(chain) > len(key) and _lowered(chain)[: len(key)] == key), None
        )
        if name is not None:
            yield word.start, words.words[place + 2 * len(name) - 2].end, shown_name((name[-1],))


def _chain(words: StatementWords) -> tuple[str, ...]:
    parts = [words.read_name()]
    while words.sees(".") and (following := words.peek(1)) is not None and following.is_name:
        words.takes(".")
        parts.append(words.read_name())
    return tuple(parts)


def _lowered(name: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.lower() for part in name)
