"""Which triggers can fire at all for a table, so that few are evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs
import msgspec

from deltaresolver.errors import InvalidInputError
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.rules import ALWAYS, Rule
from deltaresolver.model.view import TableView, has_other_spellings
from deltaresolver.value import Printable

Rules = dict[str, Rule]
"""Triggers by the name of their feature."""


def _as_json_spells_it(marker: str) -> str:
    return msgspec.json.encode(marker).decode()[1:-1]


@attrs.frozen(slots=True, eq=False)
class TriggerIndex(Printable):
    """Triggers by the place in the metadata that can make them fire.

    `by_schema_stem` holds the markers by what they begin with, so that one search rules out a whole family of them.
    """

    by_property: Mapping[str, Rules]
    by_prefix: Mapping[str, Rules]
    of_schema: Rules
    by_schema_stem: tuple[tuple[str, tuple[tuple[str, Rules], ...]], ...]
    unconditional: Rules
    prefixes: tuple[str, ...]

    @classmethod
    def of(cls, features: Iterable[TableFeature]) -> TriggerIndex:
        """The index of all features' triggers."""
        by_property: dict[str, Rules] = {}
        by_prefix: dict[str, Rules] = {}
        by_stem: dict[str, dict[str, Rules]] = {}
        of_schema: Rules = {}
        unconditional: Rules = {}
        for feature in features:
            if feature.trigger is None:
                continue
            entry, hints = {feature.name: feature.trigger}, feature.trigger.hints()
            if hints == ALWAYS:
                unconditional |= entry
            for key in hints.properties:
                by_property.setdefault(key, {}).update(entry)
            for key in hints.property_prefixes:
                by_prefix.setdefault(key, {}).update(entry)
            for marker in map(_as_json_spells_it, hints.schema_markers):
                of_schema |= entry
                by_stem.setdefault(_stem(marker), {}).setdefault(marker, {}).update(entry)
        stems = tuple((stem, tuple(markers.items())) for stem, markers in by_stem.items())
        index = cls(by_property, by_prefix, of_schema, stems, unconditional, tuple(by_prefix))
        for key, rules in by_property.items():
            rules.update(index._by_prefix_of(key))  # so that a known property is looked up once
        return index

    def enabled(self, view: TableView) -> set[str]:
        """The features whose trigger fires.

        Raises `SchemaMalformedError` for a schema that cannot be read, asked about or not, and
        `InvalidInputError` for metadata a trigger cannot read; when several triggers fail, the first
        error by feature name carries the others in `details["also"]`.
        """
        _ = view.metadata.schema
        fired: set[str] = set()
        errors: dict[str, InvalidInputError] | None = None
        for name, rule in self._candidates(view).items():
            try:
                if rule.fires(view):
                    fired.add(name)
            except InvalidInputError as error:
                errors = {**(errors or {}), name: error}
        if errors is None:
            return fired
        raise _together(errors)

    def reads_property(self, key: str) -> bool:
        """Whether some trigger looks at this table property."""
        return key in self.by_property or key.lower().startswith(self.prefixes) or bool(self.unconditional)

    def _candidates(self, view: TableView) -> Rules:
        """The rules that may fire."""
        found = self.unconditional.copy()
        by_property, prefixes, metadata = self.by_property, self.prefixes, view.metadata
        for key in metadata.configuration:
            if key in by_property:
                found |= by_property[key]
            elif prefixes and key.lower().startswith(prefixes):
                found |= self._by_prefix_of(key)
        schema_text = metadata.schema_string
        if schema_text:
            self._add_by_schema(schema_text, found)
        return found

    def _add_by_schema(self, text: str, found: Rules) -> None:
        if "\\" in text and has_other_spellings(text):
            found |= self.of_schema
            return
        for stem, markers in self.by_schema_stem:
            if stem in text:
                for marker, rules in markers:
                    if marker in text:
                        found |= rules

    def _by_prefix_of(self, key: str) -> Rules:
        lowered = key.lower()
        found: Rules = {}
        for prefix, rules in self.by_prefix.items():
            if lowered.startswith(prefix):
                found |= rules
        return found


def _stem(marker: str) -> str:
    """What a marker shares with others of its namespace, such as `delta.`; the marker itself where it has none."""
    namespace, dot, _ = marker.partition(".")
    return namespace + dot


def _together(errors: Mapping[str, InvalidInputError]) -> InvalidInputError:
    first, *others = (errors[name] for name in sorted(errors))
    if others:
        first.details["also"] = [other.to_json() for other in others if other.message != first.message]
    return first
