"""Rules over table properties."""

from __future__ import annotations

import attrs
import msgspec

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.model.declared import of_type, texts
from deltaresolver.model.facts.keys import read_boolean
from deltaresolver.model.rules.evidence import Evidence, Hints, PropertyEvidence, Remedy
from deltaresolver.model.schema import quote_path
from deltaresolver.model.view import TableView
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class PropertyIsTrue(Value):
    """A boolean table property is true. `aliases` are older spellings, tried in order if `key` is absent."""

    key: str = attrs.field(validator=of_type(str))
    aliases: tuple[str, ...] = attrs.field(default=(), converter=texts)

    def _true_key(self, view: TableView) -> str | None:
        properties = view.metadata.configuration
        for key in (self.key, *self.aliases):
            if key in properties:
                return key if read_boolean(key, properties[key]) else None
        return None

    def fires(self, view: TableView) -> bool:
        value = view.metadata.configuration.get(self.key)
        if value is not None:
            return read_boolean(self.key, value)
        return bool(self.aliases) and self._true_key(view) is not None

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
class PropertyIsOneOf(Value):
    """A table property holds one of `values`.

    Any value outside `values` and `harmless` is an error. `message` may word it (`{value}`), and
    `delta_class` names the exception delta-spark raises.
    """

    key: str = attrs.field(validator=of_type(str))
    values: tuple[str, ...] = attrs.field(converter=texts)
    harmless: tuple[str, ...] = attrs.field(converter=texts)
    any_case: bool = False
    message: str = ""
    delta_class: str | None = None

    def fires(self, view: TableView) -> bool:
        value = view.metadata.configuration.get(self.key)
        if value is None:
            return False
        compared = value.lower() if self.any_case else value
        if compared in self.values:
            return True
        if compared in self.harmless:
            return False
        allowed = [*self.harmless, *self.values]
        raise PropertyInvalidError(
            self.message.format(value=value) or f"{self.key} is {value!r}, which is none of {', '.join(allowed)}.",
            fix=f"Set {self.key} to one of {', '.join(allowed)}.",
            details={"key": self.key, "value": value, "expected": allowed},
            delta_class=self.delta_class,
        )

    def evidence(self, view: TableView) -> tuple[Evidence, ...]:
        return (PropertyEvidence(self.key, view.properties[self.key]),) if self.fires(view) else ()

    def remedies(self, view: TableView) -> tuple[Remedy, ...]:
        if not self.fires(view):
            return ()
        return (_set(self.key, self.harmless[0]) if self.harmless else _unset(self.key),)

    def hints(self) -> Hints:
        return Hints(properties=frozenset((self.key,)))

    def describe(self) -> str:
        return f"table property {self.key} is {' or '.join(self.values)}"


@attrs.frozen(slots=True)
class PropertyPresent(Value):
    """A table property is set, whatever its value."""

    key: str = attrs.field(validator=of_type(str))

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
class PropertyHoldsJson(Value):
    """A table property holds a JSON object with all of these fields, none of them null."""

    key: str = attrs.field(validator=of_type(str))
    fields: tuple[str, ...] = attrs.field(converter=texts)

    def fires(self, view: TableView) -> bool:
        text = view.properties.get(self.key)
        if text is None:
            return False
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
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
class PropertyPrefix(Value):
    """Some table property starts with a prefix, compared without regard to case.

    `remedy_sql` may hold the statement that removes one such property (`{table}`, and `{rest}` for
    what follows the prefix, as a name that is quoted where it must be).
    """

    prefix: str = attrs.field(validator=of_type(str))
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


def _unset(key: str) -> Remedy:
    return Remedy(f"Unset {key}.", f"ALTER TABLE {{table}} UNSET TBLPROPERTIES ({_literal(key)})")


def _set(key: str, value: str) -> Remedy:
    assignment = f"{_literal(key)} = {_literal(value)}"
    return Remedy(f"Set {key} to {value}.", f"ALTER TABLE {{table}} SET TBLPROPERTIES ({assignment})")


def _literal(text: str) -> str:
    """A text as a string of Spark SQL, which escapes by backslash."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
