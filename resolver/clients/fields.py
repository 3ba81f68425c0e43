"""Read fields of hand-written data with the type each must have; problems are noted, never raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from deltaresolver.value import Value


@attrs.frozen(slots=True)
class FieldReader(Value):
    """Reads fields by type. Calls `note` with the place and the text of each problem; a field may be missing."""

    note: Callable[[str, str], None]

    def flag(self, value: Mapping[str, Any], key: str, where: str) -> bool:
        """A boolean, false when missing."""
        found = value.get(key)
        if found is None or isinstance(found, bool):
            return bool(found)
        self.note(f"{where} {key}".strip(), f"must be true or false, found {found!r}")
        return False

    def whole(self, value: Mapping[str, Any], key: str, where: str) -> int | None:
        """A whole number."""
        found = value.get(key)
        if found is None or (isinstance(found, int) and not isinstance(found, bool)):
            return found
        self.note(f"{where} {key}".strip(), f"must be a whole number, found {found!r}")
        return None

    def texts(self, value: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
        """A list of texts."""
        found = value.get(key)
        if found is None:
            return ()
        if isinstance(found, list) and all(isinstance(item, str) for item in found):
            return tuple(found)
        self.note(f"{where} {key}".strip(), f"must be a list of texts, found {found!r}")
        return ()

    def table(self, value: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
        """A table of more fields, empty when missing."""
        found = value.get(key)
        if found is None or isinstance(found, Mapping):
            return found or {}
        self.note(f"{where} {key}".strip(), f"must be a table, found {found!r}")
        return {}

    def tables(self, value: Mapping[str, Any], key: str, name: str) -> list[tuple[int, Mapping[str, Any]]]:
        """A list of tables, numbered from one; anything else is left out."""
        found = value.get(key)
        if found is None:
            return []
        if not isinstance(found, list):
            self.note(key, f"must be a list of tables, found {found!r}")
            return []
        for position, item in enumerate(found, start=1):
            if not isinstance(item, Mapping):
                self.note(f"{name} {position}", f"must be a table, found {item!r}")
        return [(position, item) for position, item in enumerate(found, start=1) if isinstance(item, Mapping)]
