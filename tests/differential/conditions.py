"""Conditions and literals in Spark SQL over columns of a table, in nasty spellings."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from tests import nasty
from tests.differential.kinds import element_of, fields_of, has_map, is_nested, is_text, plain, value_of
from tests.differential.kinds import literal as wide_literal
from tests.differential.program import Column, Value, quoted

Pools = Mapping[str, Sequence[Value]]
"""By the lowered name of a column, values that its rows are drawn from."""

COMPARISONS = ("=", "=", "=", "<>", "<", "<=", ">", ">=", "<=>", "!=", "==")
SHORT = 3


def literal(chance: random.Random, value: Value, kind: str) -> str:
    """One spelling of a value of a type."""
    if value is None:
        return "NULL"
    return chance.choice(spellings(value, kind))


def spellings(value: Value, kind: str) -> tuple[str, ...]:
    """The ways to spell a value so that sessions with and without ANSI take all for the same."""
    text = str(value)
    if is_nested(kind):
        return (wide_literal(value, kind, lambda each, leaf: spellings(each, leaf)[0]),)
    if is_text(kind):
        return nasty.string_literals(text)
    if kind == "BOOLEAN":
        return (text.lower(), text.upper())
    if kind in ("BYTE", "SHORT", "INT", "BIGINT"):
        number = f"cast('{text}' as bigint)" if text == str(-(2**63)) else text
        return (number, number, f"cast('{text}' as bigint)", f"{text}BD")
    if kind in ("FLOAT", "DOUBLE"):
        return (f"double('{text}')", f"float('{text}')", f"cast('{text}' as {kind.lower()})")
    if kind.startswith("DECIMAL"):
        return (f"{text}BD", text, f"cast('{text}' as decimal(10,2))")
    if kind == "DATE":
        return (f"DATE'{text}'", f"date '{text}'", f"to_date('{text}')", f"'{text}'")
    return (f"{kind}'{text}'", f"cast('{text}' as {kind.lower()})", f"'{text}'")


def typed_literal(chance: random.Random, value: Value, kind: str) -> str:
    """A value as one that is assigned to a column of its type."""
    return f"cast({literal(chance, value, kind)} as {plain(kind)})"


class Conditions:
    """Draws conditions over columns."""

    def __init__(self, chance: random.Random, columns: Sequence[Column], pools: Pools, prefix: str = "") -> None:
        self._chance = chance
        self._columns = columns
        self._pools = pools
        self._prefix = prefix

    def draw(self, depth: int = 2) -> str:
        """Any of them; small ones more often."""
        chance = self._chance
        roll = chance.random()
        if depth == 0 or roll < 0.6:
            return self._about(chance.choice(self._columns))
        if roll < 0.68:
            return f"NOT ({self.draw(depth - 1)})"
        word = chance.choice(("AND", "OR", "and"))
        return f"({self.draw(depth - 1)}) {word} ({self.draw(depth - 1)})"

    def name(self, column: Column) -> str:
        """A column as conditions call it."""
        shown = quoted(column.name)
        if column.name.isidentifier() and column.name.isascii() and self._chance.random() < 0.3:
            shown = quoted(column.name.swapcase())
        return f"{self._prefix}{shown}"

    def value(self, column: Column) -> Value:
        """A value that the column is likely to hold."""
        return self._chance.choice(self._pools[column.name.lower()])

    def _about(self, column: Column) -> str:
        chance, name = self._chance, self.name(column)
        if has_map(column.type):  # maps are not compared
            return chance.choice([f"{name} IS NULL", f"{name} IS NOT NULL", *self._about_parts(column, name)])
        one, other = (literal(chance, self._some(column), column.type) for _ in range(2))
        if column.type == "BOOLEAN" and chance.random() < 0.3:
            return name
        ways = [
            f"{name} {chance.choice(COMPARISONS)} {one}",
            f"{name} {chance.choice(COMPARISONS)} {one}",
            f"{one} {chance.choice(COMPARISONS)} {name}",
            f"{name} IN ({self._listed(column)})",
            f"{name} NOT IN ({self._listed(column)})",
            f"{name} IS NULL",
            f"{name} IS NOT NULL",
            f"{name} BETWEEN {one} AND {other}",
            f"coalesce({name}, {one}) = {other}",
            f"CASE WHEN {name} = {one} THEN true ELSE {name} IS NULL END",
        ]
        if is_text(column.type):
            ways += self._about_text(column, name)
        if is_nested(column.type):
            ways += self._about_parts(column, name)
        if column.type.startswith(("DATE", "TIMESTAMP")):
            ways += [f"year({name}) > {chance.choice((1, 1900, 2024))}", f"cast({name} as date) >= DATE'2024-01-01'"]
        return chance.choice(ways)

    def _about_text(self, column: Column, name: str) -> list[str]:
        text = str(self._some(column))
        wild = text[:1].replace("\\", "").replace("'", "").replace("\n", "").replace("\t", "")
        return [
            f"{name} LIKE '{wild}%'",
            f"{name} NOT LIKE '%{wild}'",
            f"length({name}) > {self._chance.randint(0, SHORT)}",
            f"upper({name}) = {literal(self._chance, text.upper(), 'STRING')}",
            f"trim({name}) = {literal(self._chance, text.strip(), 'STRING')}",
            f"startswith({name}, {literal(self._chance, text[:1], 'STRING')})",
        ]

    def _about_parts(self, column: Column, name: str) -> list[str]:
        return self._about_inside(column.type, self._some(column), name)

    def _about_inside(self, kind: str, value: Value, name: str) -> list[str]:
        """About fields of a struct, elements of an array, or values of a map."""
        chance, given = self._chance, value if isinstance(value, tuple) else ()
        element, inside = element_of(kind), value_of(kind)
        if kind == "BINARY":
            return [f"length({name}) > {chance.randint(0, 2)}"]
        if inside is not None:
            key, each = given[0] if given and isinstance(given[0], tuple) else ("a", None)
            spelt = literal(chance, key, "STRING")
            part = chance.choice((f"{name}[{spelt}]", f"element_at({name}, {spelt})"))
            return [f"size({name}) > {chance.randint(0, 1)}", *self._about_part(inside, each, part)]
        if element is not None:
            found = [f"size({name}) > {chance.randint(0, 1)}", f"size({name}) IS NULL"]
            if not has_map(element):
                found.append(f"array_contains({name}, {typed_literal(chance, given[0] if given else None, element)})")
            return found
        found = []
        for place, field in enumerate(fields_of(kind)):
            each = given[place] if given else None
            found += self._about_part(field.type, each, f"{name}.{quoted(field.name)}")
        return found

    def _about_part(self, kind: str, value: Value, name: str) -> list[str]:
        chance = self._chance
        found = [f"{name} IS NULL", f"{name} IS NOT NULL"]
        if not has_map(kind):
            found += [f"{name} {chance.choice(COMPARISONS)} {typed_literal(chance, value, kind)}"] * 2
        return found + (self._about_inside(kind, value, name) if is_nested(kind) else [])

    def _some(self, column: Column) -> Value:
        """A value, not null."""
        found = [value for value in self._pools[column.name.lower()] if value is not None]
        return self._chance.choice(found)

    def _listed(self, column: Column) -> str:
        # One spelling for all, as a list of texts and numbers is compared as something else.
        values = [spellings(self._some(column), column.type) for _ in range(self._chance.randint(1, SHORT))]
        place = self._chance.randrange(min(map(len, values)))
        listed = [each[place] for each in values] + (["NULL"] if self._chance.random() < 0.15 else [])
        return ", ".join(listed)
