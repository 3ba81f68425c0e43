"""Which fields of which file action a columnar read brings back, and the fields it needs on the way."""

from __future__ import annotations

import attrs
import pyarrow as pa

from deltaresolver.log.columnar.arrow_schema import ADD_FILES, TOMBSTONES
from deltaresolver.value import Value

_KEY_VECTOR = pa.struct(
    [pa.field("storageType", pa.string()), pa.field("pathOrInlineDv", pa.string()), pa.field("offset", pa.int32())]
)
KEY_FIELDS = (pa.field("path", pa.string()), pa.field("deletionVector", _KEY_VECTOR))
"""What identifies a logical file: its path and its deletion vector's unique id."""


@attrs.frozen(slots=True)
class Projection(Value):
    """`action` ("add" or "remove") is read with the fields of `result`; the other one only as far as its key."""

    action: str
    result: pa.Schema

    @property
    def other(self) -> str:
        """The file action that is only read to know which files it names."""
        return "remove" if self.action == "add" else "add"

    @property
    def fields(self) -> tuple[pa.Field, ...]:
        """The fields read of `action`: those of the result, then those of the key that the result leaves out."""
        asked = tuple(field.with_nullable(True) for field in self.result)
        return asked + tuple(field for field in KEY_FIELDS if field.name not in self.result.names)

    def fields_of(self, action: str) -> tuple[pa.Field, ...]:
        """The fields read of one of the two file actions."""
        return self.fields if action == self.action else KEY_FIELDS


def project_adds(names: tuple[str, ...]) -> Projection:
    """Live files with these fields only."""
    return Projection("add", pa.schema([ADD_FILES.field(name) for name in names]))


EVERY_TOMBSTONE_FIELD = Projection("remove", TOMBSTONES)
