"""Triggers as data: the conditions under which a table's metadata switches a feature on.

A rule is a small frozen value. From the same value the engine derives whether it fires, the evidence,
the remedy, and where it can fire at all (`hints`), so that a resolution evaluates few of them.

    PropertyIsTrue("delta.enableRowTracking")
    AllOf((SchemaHasType(("variant",)), UnlessSupported(("variantType-preview",))))
    Custom(my_function, remedy=Remedy("..."))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import attrs
import msgspec

from deltaresolver.errors import DeltaResolverError, PropertyInvalidError, TriggerFailedError
from deltaresolver.model.schema import FieldPath, Place, StructField, quote_path
from deltaresolver.model.view import TableView

# --- what a rule says ---------------------------------------------------------------------------


@attrs.frozen(slots=True)
class PropertyEvidence:
    """A table property and the value that made the rule fire."""

    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.key} = {self.value}"

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"kind": "property", "key": self.key, "value": self.value}


@attrs.frozen(slots=True)
class ColumnEvidence:
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
class Remedy:
    """What to change so that a rule stops firing: a sentence and, where one exists, the SQL for it.

    `{table}` in `sql` stands for the table's name.
    """

    text: str
    sql: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return {"text": self.text, "sql": self.sql}


@attrs.frozen(slots=True)
class Hints:
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


# --- reading property values --------------------------------------------------------------------


_BOOLEANS = {"true": True, "false": False}


def read_boolean(key: str, value: str) -> bool:
    """`true` or `false` in any case. Raises `PropertyInvalidError` for everything else, as delta-spark does."""
    read = _BOOLEANS.get(value)
    if read is None:
        read = _BOOLEANS.get(value.lower())
    if read is not None:
        return read
    raise PropertyInvalidError(
        f"{key} is {value!r}, which is neither true nor false.",
        fix=f"Set {key} to 'true' or 'false', without spaces.",
        details={"key": key, "value": value, "expected": ["true", "false"]},
    )


def _unset(key: str) -> Remedy:
    return Remedy(f"Unset {key}.", f"ALTER TABLE {{table}} UNSET TBLPROPERTIES ({_literal(key)})")


def _set(key: str, value: str) -> Remedy:
    assignment = f"{_literal(key)} = {_literal(value)}"
    return Remedy(f"Set {key} to {value}.", f"ALTER TABLE {{table}} SET TBLPROPERTIES ({assignment})")


def _literal(text: str) -> str:
    """A text as a string of Spark SQL, which escapes by backslash."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# --- rules over properties ----------------------------------------------------------------------


@attrs.frozen(slots=True)
class PropertyIsTrue:
    """A boolean table property is true. `aliases` are older spellings, tried in order if `key` is absent."""

    key: str
    aliases: tuple[str, ...] = ()

    def _true_key(self, view: TableView) -> str | None:
        properties = view.metadata.configuration
        for key in (self.key, *self.aliases):
            if key in properties:
                return key if read_boolean(key, properties[key]) else None
        return None

    def fires(self, view: TableView) -> bool:
        return self._true_key(view) is not None

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        key = self._true_key(view)
        return () if key is None else (PropertyEvidence(key, view.properties[key]),)

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        key = self._true_key(view)
        return () if key is None else (_set(key, "false"),)

    def hints(self) -> Hints:
        return Hints(properties=frozenset((self.key, *self.aliases)))

    def describe(self) -> str:
        return f"table property {self.key} is true"


@attrs.frozen(slots=True)
class PropertyIsOneOf:
    """A table property holds one of `values`.

    Any value outside `values` and `harmless` is an error. `message` may word it (`{value}`), and
    `delta_class` names the exception delta-spark raises.
    """

    key: str
    values: tuple[str, ...]
    harmless: tuple[str, ...]
    any_case: bool = False
    message: str = ""
    delta_class: str | None = None

    def _found(self, view: TableView) -> PropertyEvidence | None:
        value = view.properties.get(self.key)
        if value is None:
            return None
        compared = value.lower() if self.any_case else value
        if compared in self.values:
            return PropertyEvidence(self.key, value)
        if compared in self.harmless:
            return None
        allowed = [*self.harmless, *self.values]
        raise PropertyInvalidError(
            self.message.format(value=value) or f"{self.key} is {value!r}, which is none of {', '.join(allowed)}.",
            fix=f"Set {self.key} to one of {', '.join(allowed)}.",
            details={"key": self.key, "value": value, "expected": allowed},
            delta_class=self.delta_class,
        )

    def fires(self, view: TableView) -> bool:
        return self._found(view) is not None

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        found = self._found(view)
        return () if found is None else (found,)

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        if self._found(view) is None:
            return ()
        return (_set(self.key, self.harmless[0]) if self.harmless else _unset(self.key),)

    def hints(self) -> Hints:
        return Hints(properties=frozenset((self.key,)))

    def describe(self) -> str:
        return f"table property {self.key} is {' or '.join(self.values)}"


@attrs.frozen(slots=True)
class PropertyPresent:
    """A table property is set, whatever its value."""

    key: str

    def fires(self, view: TableView) -> bool:
        return self.key in view.properties

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        value = view.properties.get(self.key)
        return () if value is None else (PropertyEvidence(self.key, value),)

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return (_unset(self.key),) if self.fires(view) else ()

    def hints(self) -> Hints:
        return Hints(properties=frozenset((self.key,)))

    def describe(self) -> str:
        return f"table property {self.key} is set"


@attrs.frozen(slots=True)
class PropertyHoldsJson:
    """A table property holds a JSON object with all of these fields, none of them null."""

    key: str
    fields: tuple[str, ...]

    def fires(self, view: TableView) -> bool:
        text = view.properties.get(self.key)
        if text is None:
            return False
        try:
            value = msgspec.json.decode(text)
        except msgspec.DecodeError:
            return False
        return isinstance(value, dict) and all(value.get(field) is not None for field in self.fields)

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return (PropertyEvidence(self.key, view.properties[self.key]),) if self.fires(view) else ()

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return (_unset(self.key),) if self.fires(view) else ()

    def hints(self) -> Hints:
        return Hints(properties=frozenset((self.key,)))

    def describe(self) -> str:
        return f"table property {self.key} holds a JSON object with {' and '.join(self.fields)}"


@attrs.frozen(slots=True)
class PropertyPrefix:
    """Some table property starts with a prefix, compared without regard to case.

    `remedy_sql` may hold the statement that removes one such property (`{table}`, and `{rest}` for
    what follows the prefix, as a name that is quoted where it must be).
    """

    prefix: str
    remedy_sql: str | None = None

    def _matching(self, view: TableView) -> list[str]:
        lowered = self.prefix.lower()
        return [key for key in view.properties if key.lower().startswith(lowered)]

    def fires(self, view: TableView) -> bool:
        return bool(self._matching(view))

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return tuple(PropertyEvidence(key, view.properties[key]) for key in sorted(self._matching(view)))

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return tuple(self._remedy(key) for key in sorted(self._matching(view)))

    def _remedy(self, key: str) -> Remedy:
        if self.remedy_sql is None:
            return _unset(key)
        return Remedy(f"Remove {key}.", self.remedy_sql.replace("{rest}", quote_path((key[len(self.prefix) :],))))

    def hints(self) -> Hints:
        return Hints(property_prefixes=frozenset((self.prefix.lower(),)))

    def describe(self) -> str:
        return f"a table property starts with {self.prefix}"


# --- rules over the schema ----------------------------------------------------------------------


@attrs.frozen(slots=True)
class SchemaHasType:
    """Some column, at any depth, has one of these leaf types (parameters ignored)."""

    types: tuple[str, ...]

    def fires(self, view: TableView) -> bool:
        return not view.survey.leaf_types.keys().isdisjoint(self.types)

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return tuple(
            ColumnEvidence(path, f"type {name}") for name in self.types for path in view.survey.leaf_types.get(name, ())
        )

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return tuple(
            _drop_column(path, f"it has type {name}")
            for name in self.types
            for path in dict.fromkeys(map(view.column_of, view.survey.leaf_types.get(name, ())))
        )

    def hints(self) -> Hints:
        return Hints(schema_markers=frozenset(self.types))

    def describe(self) -> str:
        return f"a column has type {' or '.join(self.types)}"


@attrs.frozen(slots=True)
class FieldHasMetadata:
    """Some field, no deeper than `depth`, carries one of these metadata keys.

    `remedy_sql` may hold the statement that clears one field (`{table}`, `{column}`). `ensure_readable` may raise
    `InvalidInputError` for a field whose value cannot be read.
    """

    keys: tuple[str, ...]
    depth: Place = Place.COLLECTION
    remedy_sql: str | None = None
    ensure_readable: Callable[[StructField], None] | None = None

    def _matching(self, view: TableView) -> Iterable[tuple[FieldPath, str]]:
        found = view.survey.field_metadata
        return ((path, key) for key in self.keys for path, place, _ in found.get(key, ()) if place <= self.depth)

    def fires(self, view: TableView) -> bool:
        found, fired = view.survey.field_metadata, False
        for key in self.keys:
            for _, place, field in found.get(key, ()):
                if place <= self.depth:
                    if self.ensure_readable is None:
                        return True
                    self.ensure_readable(field)
                    fired = True
        return fired

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return tuple(ColumnEvidence(path, f"metadata {key}") for path, key in self._matching(view))

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        paths = dict.fromkeys(path for path, _ in self._matching(view))
        if self.remedy_sql is None:
            return tuple(_drop_column(path, f"it carries {' or '.join(self.keys)}") for path in paths)
        return tuple(
            Remedy(
                f"Clear {' or '.join(self.keys)} on column {quote_path(path)}.",
                self.remedy_sql.replace("{column}", quote_path(path)),
            )
            for path in paths
        )

    def hints(self) -> Hints:
        return Hints(schema_markers=frozenset(self.keys))

    def describe(self) -> str:
        return f"a column carries metadata {' or '.join(self.keys)}"


@attrs.frozen(slots=True)
class FieldNotNull:
    """Some field, no deeper than `depth`, may not be null."""

    depth: Place = Place.STRUCT

    def _matching(self, view: TableView) -> Iterable[FieldPath]:
        return (path for path, place in view.survey.not_null if place <= self.depth)

    def fires(self, view: TableView) -> bool:
        return any(place <= self.depth for _, place in view.survey.not_null)

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return tuple(ColumnEvidence(path, "NOT NULL") for path in self._matching(view))

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return tuple(
            Remedy(
                f"Allow nulls in column {quote_path(path)}.",
                f"ALTER TABLE {{table}} ALTER COLUMN {quote_path(path)} DROP NOT NULL",
            )
            for path in self._matching(view)
        )

    def hints(self) -> Hints:
        return Hints(schema_markers=frozenset(("false",)))

    def describe(self) -> str:
        return "a column is NOT NULL"


def _drop_column(path: FieldPath, because: str) -> Remedy:
    column = quote_path(path)
    return Remedy(f"Drop column {column}: {because}.", f"ALTER TABLE {{table}} DROP COLUMN {column}")


# --- combining rules ----------------------------------------------------------------------------


@attrs.frozen(slots=True)
class AnyOf:
    """One of several rules fires."""

    rules: tuple[Rule, ...] = attrs.field(validator=attrs.validators.min_len(1))

    def fires(self, view: TableView) -> bool:
        return any(rule.fires(view) for rule in self.rules)

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return tuple(item for rule in self.rules for item in rule.evidence(view))

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return tuple(item for rule in self.rules for item in rule.remedies(view))

    def hints(self) -> Hints:
        combined = self.rules[0].hints()
        for rule in self.rules[1:]:
            combined |= rule.hints()
        return combined

    def describe(self) -> str:
        return ", or ".join(rule.describe() for rule in self.rules)


@attrs.frozen(slots=True)
class AllOf:
    """All of several rules fire. They are tried in order, and the first that does not fire ends it."""

    rules: tuple[Rule, ...] = attrs.field(validator=attrs.validators.min_len(1))

    def fires(self, view: TableView) -> bool:
        return all(rule.fires(view) for rule in self.rules)

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        if not self.fires(view):
            return ()
        return tuple(item for rule in self.rules for item in rule.evidence(view))

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return tuple(item for rule in self.rules for item in rule.remedies(view)) if self.fires(view) else ()

    def hints(self) -> Hints:
        # All must fire, so the first rule's hints bound the whole; later ones may not be read before it.
        return self.rules[0].hints()

    def describe(self) -> str:
        return ", and ".join(rule.describe() for rule in self.rules)


@attrs.frozen(slots=True)
class Not:
    """Another rule does not fire. It has no evidence of its own, so combine it with one that has."""

    rule: Rule

    def fires(self, view: TableView) -> bool:
        return not self.rule.fires(view)

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return ()

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return ()

    def hints(self) -> Hints:
        return ALWAYS

    def describe(self) -> str:
        return f"not ({self.rule.describe()})"


@attrs.frozen(slots=True)
class UnlessSupported:
    """None of these features is supported by the protocol at hand: the rule stands back for them."""

    features: tuple[str, ...]

    def fires(self, view: TableView) -> bool:
        return view.supported.isdisjoint(self.features)

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return ()

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return ()

    def hints(self) -> Hints:
        return ALWAYS

    def describe(self) -> str:
        return f"{' and '.join(self.features)} is not supported already"


@attrs.frozen(slots=True)
class Custom:
    """The escape hatch: a pure, named, module-level function from the view to evidence, with its remedy.

    The function returns the evidence, empty when the rule does not fire. `where` may bound the metadata
    it needs to look at; without it the function runs on every resolution.
    """

    function: Callable[[TableView], tuple[Evidence, ...]]
    remedy: Remedy
    where: Hints = ALWAYS
    words: str = ""

    def fires(self, view: TableView) -> bool:
        return bool(self.evidence(view))

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        try:
            return tuple(self.function(view))
        except DeltaResolverError:
            raise
        except Exception as error:
            where = f"{self.function.__module__}.{self.function.__qualname__}"
            raise TriggerFailedError(
                f"The trigger {where} raised {type(error).__name__}: {error}.",
                fix="Repair or uninstall the plugin that brings it: a trigger may refuse metadata, but not fail.",
                details={"function": where, "error": type(error).__name__, "reason": str(error)},
            ) from error

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        return (self.remedy,) if self.fires(view) else ()

    def hints(self) -> Hints:
        return self.where

    def describe(self) -> str:
        return self.words or (self.function.__doc__ or self.function.__name__).strip().splitlines()[0]


def properties_of(evidence: Iterable[Evidence]) -> Mapping[str, str]:
    """The table properties among some evidence."""
    return {item.key: item.value for item in evidence if isinstance(item, PropertyEvidence)}
