"""A statement as a row of words, read from left to right; every part can be given back as it was written."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from deltaresolver.errors import StatementUnreadableError
from deltaresolver.expressions.text.reading import STANDARD, SqlReading
from deltaresolver.expressions.text.tokens import Kind, placed_tokens
from deltaresolver.spark.names.identifiers import TableName

_PAIRS = {"(": ")", "[": "]", "{": "}", "CASE": "END"}
_CLOSING = (")", "]", "}")


@attrs.frozen(slots=True)
class Word:
    """One token: what it means and where it stands."""

    kind: Kind
    value: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """The token as a keyword in capitals or as a sign; empty for what is quoted."""
        return self.value.upper() if self.kind in (Kind.NAME, Kind.SIGN) else ""

    @property
    def is_name(self) -> bool:
        """Whether it may be an identifier."""
        return self.kind in (Kind.NAME, Kind.QUOTED_NAME)


class StatementWords:
    """The words of a text. What does not follow the grammar raises `StatementUnreadableError`."""

    def __init__(self, text: str, words: Sequence[Word], reading: SqlReading = STANDARD) -> None:
        self.text = text
        self.words = tuple(words)
        self.reading = reading
        self.place = 0

    @classmethod
    def of(cls, text: str, reading: SqlReading = STANDARD) -> StatementWords:
        """The words of `text` as a session reads it. Raises `UnclosedError`."""
        found = [Word(token.kind, token.value, start, end) for token, start, end in placed_tokens(text, reading)]
        return cls(text, found, reading)

    # --- looking -------------------------------------------------------------------------------

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.place >= len(self.words)

    def peek(self, ahead: int = 0) -> Word | None:
        """A word that follows, without reading it."""
        place = self.place + ahead
        return self.words[place] if 0 <= place < len(self.words) else None

    def sees(self, *keys: str) -> bool:
        """Whether these keywords or signs come next."""
        upcoming = self.words[self.place : self.place + len(keys)]
        return len(upcoming) == len(keys) and all(word.key == key for word, key in zip(upcoming, keys, strict=True))

    def sees_any(self, *keys: str) -> bool:
        """Whether one of these comes next."""
        word = self.peek()
        return word is not None and word.key in keys

    # --- reading -------------------------------------------------------------------------------

    def takes(self, *keys: str) -> bool:
        """Whether these come next; if so they are read."""
        found = self.sees(*keys)
        self.place += len(keys) if found else 0
        return found

    def expect(self, *keys: str) -> None:
        """Read these, or raise."""
        for key in keys:
            if not self.takes(key):
                raise self.unreadable(f"{key} is expected")

    def expect_end(self) -> None:
        """Raise if anything is left."""
        if not self.at_end:
            raise self.unreadable("nothing more is expected")

    def read(self, wanted: str) -> Word:
        """The next word, whatever it is."""
        if self.at_end:
            raise self.unreadable(f"{wanted} is expected")
        self.place += 1
        return self.words[self.place - 1]

    def read_name(self) -> str:
        """One identifier."""
        word = self.read("a name")
        if not word.is_name:
            self.place -= 1
            raise self.unreadable("a name is expected")
        return word.value

    def read_path(self) -> TableName:
        """Identifiers with dots between them."""
        parts = [self.read_name()]
        while self.takes("."):
            parts.append(self.read_name())
        return tuple(parts)

    def sees_text(self) -> bool:
        """Whether a text in quotes comes next."""
        word = self.peek()
        return word is not None and word.kind is Kind.TEXT

    def read_text(self) -> str:
        """A text in quotes; several in a row are one."""
        if not self.sees_text():
            raise self.unreadable("a text in quotes is expected")
        value = ""
        while self.sees_text():
            value += self.read("a text").value
        return value

    def read_number(self) -> str:
        """A number, as it is written."""
        word = self.read("a number")
        if word.kind is not Kind.NUMBER:
            self.place -= 1
            raise self.unreadable("a number is expected")
        return word.value

    def skip_group(self) -> None:
        """Read from an opening parenthesis to the one that closes it."""
        self.expect("(")
        self.skip_to(")")
        self.expect(")")

    def read_group(self) -> str:
        """The text between the next parenthesis and the one that closes it."""
        self.expect("(")
        first = self.place
        self.skip_to(")")
        inner = self.written(first, self.place)
        self.expect(")")
        return inner

    def skip_to(self, *stops: str) -> None:
        """Read up to the first of these keywords or signs outside parentheses, or to the end."""
        waiting: list[str] = []
        while not self.at_end:
            key = self.words[self.place].key
            if not waiting and key in stops and not self._is_field():
                return
            if key in _PAIRS and not (key == "CASE" and self._is_field()):
                waiting.append(_PAIRS[key])
            elif waiting and key == waiting[-1]:
                waiting.pop()
            elif key in _CLOSING:
                raise self.unreadable(f"{key} closes nothing")
            self.place += 1
        if waiting:
            raise self.unreadable(f"{waiting[-1]} is missing")

    def text_to(self, *stops: str) -> str:
        """The text up to the first of these outside parentheses; at least one word."""
        first = self.place
        self.skip_to(*stops)
        if self.place == first:
            raise self.unreadable("an expression is expected")
        return self.written(first, self.place)

    def rest(self) -> str:
        """All that is left, as it is written."""
        first, self.place = self.place, len(self.words)
        return self.written(first, self.place)

    def written(self, first: int, end: int) -> str:
        """The text from one word to before another, hints and comments between them included."""
        return self.text[self.words[first].start : self.words[end - 1].end] if end > first else ""

    def unreadable(self, reason: str) -> StatementUnreadableError:
        """The error for what comes next."""
        word = self.peek()
        found = None if word is None else self.text[word.start : word.end]
        place = "at the end" if found is None else f"where {found!r} stands"
        return StatementUnreadableError(
            f"The statement cannot be read: {reason} {place}.",
            fix="Write it as Spark SQL does; names with special characters stand in backticks.",
            details={"statement": self.text, "reason": reason, "found": found},
            delta_class="ParseException",
        )

    def _is_field(self) -> bool:
        """Whether the next word is a name after a dot, and so no keyword."""
        before = self.peek(-1)
        return before is not None and before.key == "." and self.words[self.place].is_name
