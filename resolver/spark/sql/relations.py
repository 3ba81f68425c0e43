"""Where a query names tables: found by what stands before a name, as Spark's grammar has it.

What is found wrongly or not at all ends with an error of Spark's: a name that is replaced by mistake is unknown then,
and a Delta table that is not replaced is one whose provider Spark does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from deltaresolver.expressions.text.tokens import Kind
from deltaresolver.spark.names.identifiers import TableName
from deltaresolver.spark.sql.words import StatementWords, Word

_ENDS_FROM = frozenset({
    "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "WINDOW", "LIMIT", "OFFSET", "UNION",
    "EXCEPT", "MINUS", "INTERSECT", "SELECT", "INSERT", "QUALIFY", "|", "SET",
})  # fmt: skip
_BEGINS_QUERY = frozenset({"SELECT", "WITH", "VALUES", "MAP", "REDUCE"})
_FROM_OF_FUNCTION = frozenset({"EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "OVERLAY"})
_NO_ALIAS = _ENDS_FROM | frozenset({
    "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "SEMI", "ANTI", "LATERAL", "ON", "USING", "PIVOT",
    "UNPIVOT", "WHEN", "TABLESAMPLE", "WITH", "FROM", "VALUES", "FOR", "VERSION", "TIMESTAMP", "SYSTEM_VERSION",
    "SYSTEM_TIME", "SETMINUS", "DELETE", "UPDATE", "MERGE", "WATERMARK", "REPLACE", "BY", "PARTITION", "TABLE",
})  # fmt: skip
_UNITS = frozenset({
    "YEAR", "YEARS", "MONTH", "MONTHS", "WEEK", "WEEKS", "DAY", "DAYS", "HOUR", "HOURS", "MINUTE", "MINUTES", "SECOND",
    "SECONDS", "MILLISECOND", "MILLISECONDS", "MICROSECOND", "MICROSECONDS",
})  # fmt: skip


CHANGES, CHANGES_BY_PATH = "table_changes", "table_changes_by_path"


@attrs.frozen(slots=True)
class Travel:
    """The version or moment after a name; texts are as they are written."""

    version: str | None = None
    timestamp: str | None = None


@attrs.frozen(slots=True)
class Relation:
    """A table that a query names.

    first, end    its words, those of time travel included
    called        the arguments of a function with this name, as written; None for a table
    alias_at      where an alias goes that is missing; None where there is one
    alias         the alias that is there
    """

    name: TableName
    first: int
    end: int
    travel: Travel | None = None
    called: str | None = None
    alias_at: int | None = None
    alias: str | None = None

    @property
    def tells_changes(self) -> bool:
        """Whether it stands for the changes of a table."""
        return self.called is not None and self.name[-1].lower() in (CHANGES, CHANGES_BY_PATH)


@attrs.define(slots=True)
class _Level:
    """What is known between two parentheses."""

    function: str = ""
    in_from: bool = False
    in_view: bool = False


def relations(words: StatementWords) -> Sequence[Relation]:
    """All tables and table functions that the query names, but for its common table expressions.

    Raises `StatementUnreadableError`.
    """
    shadows = list(_common_tables(words))
    found = _found(StatementWords(words.text, words.words, words.reading))
    return [each for each in found if not _is_shadowed(each, shadows)]


def _found(words: StatementWords) -> Iterator[Relation]:
    levels = [_Level()]
    expects = False
    while not words.at_end:
        word = words.words[words.place]
        before = words.peek(-1)
        key = "" if before is not None and before.key == "." else word.key
        level = levels[-1]
        if expects and key == "(":
            levels.append(_Level(in_from=True))
        elif (
            expects and word.is_name and key not in _BEGINS_QUERY and key not in ("LATERAL", "TABLE", "FROM", "SELECT")
        ):
            stands_alone = before is not None and before.key == "TABLE"
            relation = read_relation(words)
            if stands_alone:  # TABLE t is a query, and takes no alias
                relation = attrs.evolve(relation, alias_at=None)
            expects = False
            if relation.called is None or relation.name[-1].lower() in _FUNCTIONS:
                yield relation
                continue
            # Arguments of any other function may hold queries.
            words.place = relation.first + 2 * len(relation.name) - 1
            continue
        elif key == "(":
            levels.append(_Level(before.key if before is not None and before.kind is Kind.NAME else ""))
        elif key == ")":
            expects = False
            if len(levels) > 1:
                levels.pop()
        else:
            expects = _after(key, words, level) or (expects and key == "LATERAL")
        words.place += 1


_FUNCTIONS = (CHANGES, CHANGES_BY_PATH, "identifier")


def _after(key: str, words: StatementWords, level: _Level) -> bool:
    """Whether a table is expected after this word; notes what it means for the level."""
    before, earlier = words.peek(-1), words.peek(-2)
    if key == "FROM":
        of_distinct = before is not None and before.key == "DISTINCT"
        of_distinct = of_distinct and earlier is not None and earlier.key in ("IS", "NOT")
        if of_distinct or level.function in _FROM_OF_FUNCTION:
            return False
        level.in_from, level.in_view = True, False
        return True
    if key == "JOIN":
        level.in_from, level.in_view = True, False
        return True
    if key == "VIEW" and before is not None and before.key == "LATERAL":
        level.in_view = True
    elif key in _ENDS_FROM:
        level.in_from = False
    elif key == ",":
        return level.in_from and not level.in_view
    elif key == "TABLE":
        return not level.in_from or (before is not None and before.key in ("(", ","))
    return False


def read_relation(words: StatementWords) -> Relation:
    """The name that comes next with its time travel, and what is known of its alias."""
    first = words.place
    name = words.read_path()
    if words.sees("("):
        inner = words.read_group()
        return _with_alias(words, Relation(name, first, words.place, called=inner))
    travel = read_travel(words)
    return _with_alias(words, Relation(name, first, words.place, travel))


def _with_alias(words: StatementWords, relation: Relation) -> Relation:
    """Looks behind a sample; the words are left where the relation ends."""
    place = words.place
    if words.takes("TABLESAMPLE"):
        words.skip_group()
        if words.takes("REPEATABLE"):
            words.skip_group()
    at = words.place
    word = words.peek()
    alias = None
    if words.takes("AS"):
        alias = None if words.at_end else words.read_name()
    elif word is not None and word.is_name and (word.kind is Kind.QUOTED_NAME or word.key not in _NO_ALIAS):
        alias = word.value
    words.place = place
    return attrs.evolve(relation, alias_at=None if alias is not None else at, alias=alias)


def read_travel(words: StatementWords) -> Travel | None:
    """`[FOR] VERSION AS OF 3`, `[FOR] TIMESTAMP AS OF '...'`; None if neither comes next."""
    place = words.place
    words.takes("FOR")
    if words.takes("VERSION", "AS", "OF") or words.takes("SYSTEM_VERSION", "AS", "OF"):
        return Travel(version=words.read_text() if words.sees_text() else words.read_number())
    if words.takes("TIMESTAMP", "AS", "OF") or words.takes("SYSTEM_TIME", "AS", "OF"):
        first = words.place
        _skip_moment(words)
        return Travel(timestamp=words.written(first, words.place))
    words.place = place
    return None


def _skip_moment(words: StatementWords) -> None:
    """An expression of a moment: operands with + and - between them."""
    _skip_operand(words)
    while words.takes("+") or words.takes("-"):
        _skip_operand(words)


def _skip_operand(words: StatementWords) -> None:
    if words.sees_text():
        words.read_text()
    elif words.takes("INTERVAL"):
        _skip_interval(words)
    elif words.sees("("):
        words.skip_group()
    elif (word := words.read("a moment")).kind is Kind.NAME:
        if words.sees_text():
            words.read_text()
        elif words.sees("("):
            words.skip_group()
    elif word.kind is not Kind.NUMBER and word.key not in ("?", ":"):
        words.place -= 1
        raise words.unreadable("a moment is expected")
    elif word.key == ":":
        words.read_name()


def _skip_interval(words: StatementWords) -> None:
    while True:
        words.takes("-")
        if words.sees_text():
            words.read_text()
        else:
            words.read_number()
        if words.sees_any(*_UNITS):
            words.place += 1
        if words.takes("TO"):
            words.read_name()
        upcoming = words.peek()
        if upcoming is None or upcoming.kind not in (Kind.NUMBER, Kind.TEXT):
            return


# --- common table expressions -----------------------------------------------------------------------


@attrs.frozen(slots=True)
class _Shadow:
    """Between which words a name is that of a common table expression."""

    name: str
    first: int
    end: int


def _common_tables(words: StatementWords) -> Iterator[_Shadow]:
    for place, word in enumerate(words.words):
        if word.key == "WITH" and not (place and words.words[place - 1].key == "."):
            yield from _listed(StatementWords(words.text, words.words, words.reading), place)


def _listed(words: StatementWords, place: int) -> Iterator[_Shadow]:
    """The expressions of one WITH; what only looks like one gives none."""
    words.place = place + 1
    is_recursive = words.takes("RECURSIVE")
    end = _end_of_level(words.words, place)
    while not words.at_end and words.words[words.place].is_name:
        first = words.place
        name = words.read_name()
        if words.sees("("):
            words.skip_group()
        if words.takes("MAX", "RECURSION", "LEVEL"):
            words.read("a number")
        words.takes("AS")
        if not words.sees("("):
            return
        words.skip_group()
        yield _Shadow(name.lower(), first if is_recursive else words.place, end)
        if not words.takes(","):
            return


def _end_of_level(words: Sequence[Word], place: int) -> int:
    depth = 0
    for number in range(place, len(words)):
        key = words[number].key
        depth += (key == "(") - (key == ")")
        if depth < 0:
            return number
    return len(words)


def _is_shadowed(relation: Relation, shadows: Sequence[_Shadow]) -> bool:
    name = relation.name
    return len(name) == 1 and any(
        shadow.name == name[0].lower() and shadow.first <= relation.first < shadow.end for shadow in shadows
    )
