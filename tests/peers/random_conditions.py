"""Rows of every type, and conditions on them in every spelling, drawn by seed from the nasty vocabulary."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

from tests import nasty

T = TypeVar("T")

TYPES: Mapping[str, str] = {
    "by": "byte",
    "sh": "short",
    "i": "integer",
    "l": "long",
    "f": "float",
    "d": "double",
    "de": "decimal(10,2)",
    "dx": "decimal(38,18)",
    "b": "boolean",
    "s": "string",
    "dt": "date",
    "ts": "timestamp",
    "tn": "timestamp_ntz",
}
"""The columns of the rows, by name."""

WIDTHS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
SQL_TYPES = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"}
COMPARISONS = ("=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>")
Row = Mapping[str, str | None]
"""By column: the value as text (moments in UTC), null as None."""


class Draw:
    """One stream of random rows and conditions."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._rows: Sequence[Row] = ()

    def rows(self, count: int) -> Sequence[Row]:
        """Rows whose values later conditions mention more often than others."""
        self._rows = [
            {name: None if self._chance(0.1) else self.value(kind) for name, kind in TYPES.items()}
            for _ in range(count)
        ]
        return self._rows

    def value(self, kind: str) -> str:
        """A value of the type, as text."""
        if kind in WIDTHS:
            half = 1 << (WIDTHS[kind] - 1)
            return str(self._pick([number for number in nasty.INTEGERS if -half <= number < half]))
        if kind in ("float", "double"):
            found = [number for number in nasty.FLOATS if kind == "double" or abs(number) < 1e39 or number * 0 != 0]
            return str(self._pick(found))
        if kind.startswith("decimal"):
            return self._pick(nasty.DECIMALS)
        if kind == "boolean":
            return self._pick(("true", "false"))
        if kind == "string":
            return self._pick(nasty.STRINGS)
        return self._pick(nasty.DATES if kind == "date" else nasty.MOMENTS)

    def condition(self, depth: int = 2) -> str:
        """A condition in Spark SQL; a few that Spark refuses are among them."""
        if depth and self._chance(0.3):
            return self._combined(depth - 1)
        return self._pick((self._compared, self._compared, self._compared, self._listed, self._between, self._asked,
                           self._patterned, self._called, self._cast_first))()  # fmt: skip

    # --- conditions ----------------------------------------------------------------------------

    def _combined(self, depth: int) -> str:
        one, other = self.condition(depth), self.condition(depth)
        return self._pick((
            f"({one}) AND ({other})",
            f"{one} and {other}",
            f"({one}) OR ({other})",
            f"{one} or {other}",
            f"NOT ({one})",
            f"not {one}",
            f"! {one}",
            f"CASE WHEN {one} THEN {other} ELSE {one} END",
            f"if({one}, {other}, null)",
            f"coalesce({one}, {other})",
            f"({one}) = ({other})",
            f"({one}) IS NOT TRUE",
            f"/* {other} */ {one} -- {other}",
        ))  # fmt: skip

    def _compared(self) -> str:
        name = self._column()
        other = self._column() if self._chance(0.15) else self.literal(self._near(TYPES[name]), name)
        left, right = (name, other) if self._chance(0.85) else (other, name)
        how = "IS DISTINCT FROM" if self._chance(0.05) else self._pick(COMPARISONS)
        space = "" if how[0] in "=<>!" and self._chance(0.3) and left[-1] not in "!<>=" else " "
        return f"{left}{space}{how}{space}{right}"

    def _listed(self) -> str:
        name = self._column()
        kind = TYPES[name] if self._chance(0.7) else self._near(TYPES[name])
        items = [self.literal(kind if self._chance(0.8) else self._near(TYPES[name]), name)
                 for _ in range(self._random.randint(1, 3))]  # fmt: skip
        if self._chance(0.1):
            items.append("null")
        return f"{name}{self._pick((' IN', ' NOT IN', ' in'))} ({', '.join(items)})"

    def _between(self) -> str:
        name = self._column()
        low, high = (self.literal(self._near(TYPES[name]), name) for _ in range(2))
        return f"{name} {self._pick(('BETWEEN', 'NOT BETWEEN'))} {low} AND {high}"

    def _asked(self) -> str:
        name = self._column()
        return self._pick((f"{name} IS NULL", f"{name} is not null", f"isnull({name})", f"isnotnull({name})",
                           "b", "b is true", "b IS NOT FALSE", "not b"))  # fmt: skip

    def _patterned(self) -> str:
        text = self._pick(nasty.STRINGS)
        pattern = text[:2] + self._pick(("%", "_", "", "%a", "\\%"))
        how = self._pick(("LIKE", "NOT LIKE", "ilike", "rlike"))
        return f"s {how} {self._pick(nasty.string_literals(pattern))}"

    def _called(self) -> str:
        text = self._pick(nasty.string_literals(self._pick(nasty.STRINGS)))
        number = self._random.randint(-2, 4)
        return self._pick((
            f"length(s) = {number}",
            f"upper(s) = {text}",
            f"lower(s) <> {text}",
            f"trim(s) = {text}",
            f"concat(s, {text}) = {text}",
            f"s || {text} = {text}",
            f"substring(s, {number}, 2) = {text}",
            f"startswith(s, {text})",
            f"coalesce(s, {text}) = {text}",
            f"nullif(s, {text}) is null",
            f"year(dt) = {self._pick((1970, 2024, 1500))}",
            f"month(dt) >= {number}",
            f"dt + interval '{number}' day > {self.literal('date', 'dt')}",
            f"date_add(dt, {number}) = {self.literal('date', 'dt')}",
            f"abs(i) > {number}",
            f"i + {number} = {number}",
            f"i % 3 = {number}",
            f"l * 2 > {number}",
            f"-by = {number}",
            f"d + 1 > {number}",
            f"f + 1 = {number}",
            f"f * 0.5 < {number}",
            f"de + 1.5 = {number}.5",
            f"i / 2 = {number}",
            "isnan(d) or isnan(f)",
            f"hour(ts) = {number}",
            f"cast(ts as date) = {self.literal('date', 'dt')}",
            f"greatest(i, l) = {number}",
            f"coalesce(i, {text}) = {number}",
            f"coalesce(dt, ts) = {self.literal('string', 'dt')}",
            f"case i when {self.literal('string', 'i')} then b else true end",
            self._more_called(text, number),
            self._more_called(text, number),
        ))  # fmt: skip

    def _more_called(self, text: str, number: int) -> str:
        """Functions with a part that one may overlook: digits, a unit, an escape, a list."""
        day, unit = self.literal("date", "dt"), self._pick(("MM", "year", "quarter", "DD", "week", "nothing"))
        return self._pick((
            f"round(de, {number}) = {self.literal('decimal', 'de')}",
            f"round(d) = {number} or round(f, 1) > {number}",
            f"trunc(dt, '{unit}') = {day}",
            f"date_trunc('{unit}', ts) = {self.literal('timestamp', 'ts')}",
            f"ltrim(s) = {text} or rtrim(s) = {text}",
            f"trim(both 'a' from s) = {text}",
            f"lpad(s, {number}, {text}) = {text}",
            f"rpad(s, {number}) = {text}",
            f"i div 2 = {number}",
            f"pmod(sh, 3) = {number}",
            f"locate({text}, s) = {number}",
            f"s like any ({text}, 'a%', '_')",
            f"s like 'a!%' escape '!' or s ilike {text}",
            f"array_contains(array(1, {number}, 3), i)",
            f"(i, s) in (({number}, {text}), (1, 'a'))",
            f"last_day(dt) = {day} or dayofweek(dt) = {number}",
            f"datediff(dt, {day}) > {number}",
            f"nvl2(s, i, l) = {number}",
            f"least(d, f) < {number} or sign(d) = {number}",
            f"replace(s, {text}, 'x') = {text} or reverse(s) = {text}",
            f"left(s, {number}) = {text} or right(s, {number}) = {text}",
            f"b = (s between {text} and 'z')",
            f"floor(de) = {number} or ceil(d) = {number}",
            f"initcap(s) = {text} or md5(s) = {text}",
            f"nullif(i, {number}) > 0 and ifnull(l, {number}) <= 0",
            f"try_cast(s as int) = {number} or try_cast(i + 100 as tinyint) is null",
        ))  # fmt: skip

    def _cast_first(self) -> str:
        name, kind = self._column(), self._pick(tuple(TYPES.values()))
        target = SQL_TYPES.get(kind, kind)
        inside = name if self._chance(0.5) else self.literal("string", name)
        other = self.literal(self._near(kind), name)
        return f"{self._pick(('cast', 'try_cast'))}({inside} as {target}) {self._pick(COMPARISONS)} {other}"

    # --- literals ------------------------------------------------------------------------------

    def literal(self, kind: str, near: str) -> str:
        """A literal of the type, often of a value that the column `near` has."""
        known = [row[near] for row in self._rows if row[near] is not None and TYPES[near] == kind]
        text = str(self._pick(known)) if known and self._chance(0.6) else self.value(kind)
        if kind == "string":
            if self._chance(0.6):
                text = self._as_written(near) or text
            return self._pick(nasty.string_literals(text))
        if kind in WIDTHS:
            return self._whole(text)
        if kind in ("float", "double"):
            return self._fraction(text)
        if kind.startswith("decimal"):
            return self._pick((text, text + "BD", text.lstrip("0") if text.startswith("0.") else text))
        if kind == "boolean":
            return self._pick((text, text.upper()))
        return self._moment(kind, text)

    def _as_written(self, near: str) -> str | None:
        """The text of a value of the column, as people write it."""
        if TYPES[near] in ("timestamp", "timestamp_ntz"):
            return self._pick((self.value(TYPES[near]), self.value("date"), self.value("timestamp") + "Z"))
        text = self.value(TYPES[near])
        return self._pick((text, text, text, f" {text} ", "0" + text, text + ".0", text[:-1]))

    def _whole(self, text: str) -> str:
        return self._pick((text, text, text, text + "L", text + "S", text + "Y", text + ".0", text + "e0", text + "D"))

    def _fraction(self, text: str) -> str:
        if text in ("nan", "inf", "-inf"):
            word = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[text]
            return self._pick((f"double('{word}')", f"cast('{word}' as float)", f"float('{word}')", f"'{word}'"))
        return self._pick((text, text + "D", text + "F", text + "d", f"cast('{text}' as float)", f"float({text})"))

    def _moment(self, kind: str, text: str) -> str:
        quoted = self._pick(nasty.string_literals(text))
        names = {"date": ("date", "DATE "), "timestamp": ("timestamp", "TIMESTAMP ", "timestamp_ltz "),
                 "timestamp_ntz": ("timestamp_ntz", "TIMESTAMP_NTZ ")}[kind]  # fmt: skip
        ways = [quoted, *(name + quoted for name in names), f"cast({quoted} as {kind})"]
        if kind != "timestamp_ntz":
            ways.append(f"timestamp'{text}+05:30'" if kind == "timestamp" else f"'{text} 00:00:00'")
            ways.append(f"'{text}Z'")
        return self._pick(ways)

    def either(self, one: str, other: str, probability: float) -> str:
        """The one with the probability, else the other."""
        return one if self._chance(probability) else other

    def one_of(self, among: Sequence[str]) -> str:
        """One of them."""
        return self._pick(among)

    # --- choices -------------------------------------------------------------------------------

    def _near(self, kind: str) -> str:
        """The type itself mostly, text often, anything sometimes."""
        chance = self._random.random()
        return kind if chance < 0.55 else "string" if chance < 0.8 else self._pick(tuple(TYPES.values()))

    def _column(self) -> str:
        return self._pick(tuple(TYPES))

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _pick(self, among: Sequence[T]) -> T:
        return among[self._random.randrange(len(among))]
