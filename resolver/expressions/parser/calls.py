"""The closed list of functions: what sqlglot calls them, what their operands are called there, and their names here.

A node with any other operand than those listed is not taken for the function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import expressions as sql

CALLS: Mapping[type[sql.Expr], tuple[str, tuple[str, ...]]] = {
    sql.Abs: ("abs", ("this",)),
    sql.Ascii: ("ascii", ("this",)),
    sql.BitwiseAnd: ("bit_and", ("this", "expression")),
    sql.Ceil: ("ceil", ("this",)),
    sql.Coalesce: ("coalesce", ("this", "expressions")),
    sql.Concat: ("concat", ("expressions",)),
    sql.Contains: ("contains", ("this", "expression")),
    sql.DPipe: ("concat", ("this", "expression")),
    sql.DateDiff: ("datediff", ("this", "expression")),
    sql.Day: ("day", ("this",)),
    sql.DayOfMonth: ("day", ("this",)),
    sql.DayOfWeek: ("dayofweek", ("this",)),
    sql.DayOfYear: ("dayofyear", ("this",)),
    sql.EndsWith: ("endswith", ("this", "expression")),
    sql.Floor: ("floor", ("this",)),
    sql.Greatest: ("greatest", ("this", "expressions")),
    sql.Hour: ("hour", ("this",)),
    sql.IntDiv: ("div", ("this", "expression")),
    sql.IsNan: ("isnan", ("this",)),
    sql.LastDay: ("last_day", ("this",)),
    sql.Least: ("least", ("this", "expressions")),
    sql.Left: ("left", ("this", "expression")),
    sql.Length: ("length", ("this",)),
    sql.Lower: ("lower", ("this",)),
    sql.MD5: ("md5", ("this",)),
    sql.Minute: ("minute", ("this",)),
    sql.Month: ("month", ("this",)),
    sql.Nullif: ("nullif", ("this", "expression")),
    sql.Pow: ("power", ("this", "expression")),
    sql.Quarter: ("quarter", ("this",)),
    sql.RegexpLike: ("rlike", ("this", "expression")),
    sql.Repeat: ("repeat", ("this", "times")),
    sql.Replace: ("replace", ("this", "expression", "replacement")),
    sql.Reverse: ("reverse", ("this",)),
    sql.Right: ("right", ("this", "expression")),
    sql.Round: ("round", ("this", "decimals")),
    sql.Second: ("second", ("this",)),
    sql.Sign: ("sign", ("this",)),
    sql.StartsWith: ("startswith", ("this", "expression")),
    sql.StrPosition: ("locate", ("this", "substr")),
    sql.Substring: ("substring", ("this", "start", "length")),
    sql.Translate: ("translate", ("this", "from_", "to")),
    sql.TsOrDsToDate: ("to_date", ("this",)),
    sql.Tuple: ("row", ("expressions",)),
    sql.Upper: ("upper", ("this",)),
    sql.WeekOfYear: ("weekofyear", ("this",)),
    sql.Year: ("year", ("this",)),
}

NAMED: Mapping[str, int] = {"pmod": 2}
"""Functions that sqlglot has no node for, and how many operands they take."""

TRIMS: Mapping[str | None, str] = {None: "trim", "BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}

COMPARISONS: Mapping[type[sql.Expr], str] = {
    sql.EQ: "=",
    sql.NEQ: "<>",
    sql.LT: "<",
    sql.LTE: "<=",
    sql.GT: ">",
    sql.GTE: ">=",
    sql.NullSafeEQ: "<=>",
}

ARITHMETIC: Mapping[type[sql.Expr], str] = {sql.Add: "+", sql.Sub: "-", sql.Mul: "*", sql.Div: "/", sql.Mod: "%"}

_Kind = sql.DataType.Type
TYPES: Mapping[Any, str] = {
    _Kind.TINYINT: "byte",
    _Kind.SMALLINT: "short",
    _Kind.INT: "integer",
    _Kind.BIGINT: "long",
    _Kind.FLOAT: "float",
    _Kind.DOUBLE: "double",
    _Kind.BOOLEAN: "boolean",
    _Kind.TEXT: "string",
    _Kind.DATE: "date",
    # The parser has three names for Spark's one kind of moment.
    _Kind.TIMESTAMP: "timestamp",
    _Kind.TIMESTAMPTZ: "timestamp",
    _Kind.TIMESTAMPLTZ: "timestamp",
    _Kind.TIMESTAMPNTZ: "timestamp_ntz",
}
