"""What a rule can say: what made it fire, what would stop it, and where it can fire at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import attrs

from deltaresolver.model.schema import FieldPath, quote_path
from deltaresolver.model.view import TableView
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class PropertyEvidence(Value):
    """A table property and the value that made the rule fire."""

    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.key} = {self.value}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"kind": "property", "key": self.key, "value": self.value}


@attrs.frozen(slots=True)
class ColumnEvidence(Value):
    """A column path and what about it made the rule fire."""

    path: FieldPath
    fact: str

    def __str__(self) -> str:
        return f"column {quote_path(self.path)}: {self.fact}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"kind": "column", "path": list(self.path), "fact": self.fact}


Evidence = PropertyEvidence | ColumnEvidence


@attrs.frozen(slots=True)
class Remedy(Value):
    """What to change so that a rule stops firing: a sentence and, where one exists, the SQL for it.

    `{table}` in `sql` stands for the table's name.
    """

    text: str
    sql: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"text": self.text, "sql": self.sql}


@attrs.frozen(slots=True)
class Hints(Value):
    """Where a rule can fire. No hint at all means it must always be evaluated.

    `properties` are exact keys, `property_prefixes` lower-case prefixes, `schema_markers` texts of
    which the raw schema must contain one.
    """

    properties: frozenset[str] = frozenset()
    property_prefixes: frozenset[str] = frozenset()
    schema_markers: frozenset[str] = frozenset()

    def __or__(self, other: Hints) -> Hints:
        if ALWAYS in (self, other):
            return ALWAYS
        return Hints(
            self.properties | other.properties,
            self.property_prefixes | other.property_prefixes,
            self.schema_markers | other.schema_markers,
        )


ALWAYS = Hints()


@runtime_checkable
class Rule(Protocol):
    """What every trigger can do."""

    def fires(self, view: TableView) -> bool:
        """Whether the metadata switches the feature on. Raises `PropertyInvalidError` on values it cannot read."""

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        """What made the rule fire; not empty exactly when it fires on metadata."""

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        """What to change so that the rule stops firing."""

    def hints(self) -> Hints:
        """Where the rule can fire."""

    def describe(self) -> str:
        """The condition in words, for documentation."""


def properties_of(evidence: Iterable[Evidence]) -> Mapping[str, str]:
    """The table properties among some evidence."""
    return {item.key: item.value for item in evidence if isinstance(item, PropertyEvidence)}
