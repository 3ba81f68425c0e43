"""Which triggers can fire at all for a table, so that few are evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs
import msgspec

from deltaresolver.errors import InvalidInputError
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.rules import ALWAYS, Rule
from deltaresolver.model.view import TableView

NamedRule = tuple[str, Rule]


def _as_json_spells_it(marker: str) -> str:
    return msgspec.json.encode(marker).decode()[1:-1]


@attrs.frozen(slots=True, eq=False)
class TriggerIndex:
    """Triggers by the place in the metadata that can make them fire."""

    by_property: Mapping[str, tuple[NamedRule, ...]]
    by_prefix: Mapping[str, tuple[NamedRule, ...]]
    by_schema_marker: Mapping[str, tuple[NamedRule, ...]]
    unconditional: tuple[NamedRule, ...]
    prefixes: tuple[str, ...]

    @classmethod
    def of(cls, features: Iterable[TableFeature]) -> TriggerIndex:
        """The index of all features' triggers."""
        by_property: dict[str, tuple[NamedRule, ...]] = {}
        by_prefix: dict[str, tuple[NamedRule, ...]] = {}
        by_marker: dict[str, tuple[NamedRule, ...]] = {}
        unconditional: list[NamedRule] = []
        for feature in features:
            if feature.trigger is None:
                continue
            entry = (feature.name, feature.trigger)
            hints = feature.trigger.hints()
            if hints == ALWAYS:
                unconditional.append(entry)
            for table, keys in (
                (by_property, hints.properties),
                (by_prefix, hints.property_prefixes),
                (by_marker, map(_as_json_spells_it, hints.schema_markers)),
            ):
                for key in keys:
                    table[key] = (*table.get(key, ()), entry)
        return cls(by_property, by_prefix, by_marker, tuple(unconditional), tuple(by_prefix))

    def enabled(self, view: TableView) -> set[str]:
        """The features whose trigger fires.

        Raises `SchemaMalformedError` for a schema that cannot be read, asked about or not, and
        `InvalidInputError` for metadata a trigger cannot read; when several triggers fail, the first
        error by feature name carries the others in `details["also"]`.
        """
        fired: set[str] = set()
        view.metadata.ensure_schema_readable()
        try:
            for name, rule in self._candidates(view):
                if name not in fired and rule.fires(view):
                    fired.add(name)
        except InvalidInputError:
            raise self._all_errors(view) from None
        return fired

    def reads_property(self, key: str) -> bool:
        """Whether some trigger looks at this table property."""
        return key in self.by_property or key.lower().startswith(self.prefixes) or bool(self.unconditional)

    def _candidates(self, view: TableView) -> list[NamedRule]:
        """The rules that may fire; one can be there more than once."""
        found = [*self.unconditional]
        by_property, prefixes = self.by_property, self.prefixes
        for key in view.metadata.configuration:
            if key in by_property:
                found += by_property[key]
            if prefixes and (lowered := key.lower()).startswith(prefixes):
                for prefix in prefixes:
                    if lowered.startswith(prefix):
                        found += self.by_prefix[prefix]
        for marker in view.schema_markers_present(self.by_schema_marker):
            found += self.by_schema_marker[marker]
        return found

    def _all_errors(self, view: TableView) -> InvalidInputError:
        errors: dict[str, InvalidInputError] = {}
        for name, rule in self._candidates(view):
            try:
                rule.fires(view)
            except InvalidInputError as error:
                errors[name] = error
        first, *others = (errors[name] for name in sorted(errors))
        if others:
            first.details["also"] = [other.to_json() for other in others if other.message != first.message]
        return first
