"""What a table demands of each row: conditions that must hold and values that are filled in."""

from __future__ import annotations

import enum

import attrs

from deltaresolver.model.declared import of_type
from deltaresolver.model.schema import FieldPath
from deltaresolver.value import Value


class RowRuleKind(enum.Enum):
    """Where a condition comes from; it decides the text of a violation's error."""

    NOT_NULL = "NOT NULL"
    CHECK = "CHECK constraint"
    GENERATED = "Generated column"
    LENGTH = "Length of column"
    REPLACE_WHERE = "replaceWhere"
    OTHER = "Rule"


@attrs.frozen(slots=True)
class RowCondition(Value):
    """A condition in Spark SQL, over the table's columns, that is true for every row; null counts as broken."""

    name: str = attrs.field(validator=of_type(str))
    sql: str = attrs.field(validator=of_type(str))
    columns: tuple[FieldPath, ...] = ()
    """Whose values are shown when it is broken."""
    kind: RowRuleKind = attrs.field(default=RowRuleKind.CHECK, validator=of_type(RowRuleKind))
    told_as: str | None = None
    """The condition as users know it, where `sql` says it more strictly."""

    @property
    def shown_sql(self) -> str:
        """The condition for messages."""
        return self.told_as or self.sql


class ColumnSource(enum.Enum):
    """Where the value of a column comes from that rows do not give."""

    DEFAULT = "default"
    GENERATED = "generated"
    """Computed from other columns of the row; a value that is given must be the same."""
    IDENTITY = "identity"


@attrs.frozen(slots=True)
class ColumnExpression(Value):
    """The value of a top-level column that rows need not give."""

    column: str = attrs.field(validator=of_type(str))
    source: ColumnSource = attrs.field(validator=of_type(ColumnSource))
    sql: str = attrs.field(default="", validator=of_type(str))
    """In Spark SQL, over the other columns of the table; empty for an identity column."""
