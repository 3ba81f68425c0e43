"""What a trigger may look at: one table's properties, schema and supported features, nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import attrs

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, SchemaOutline, SchemaSurvey, StructType, walk_fields
from deltaresolver.value import Printable

_OUTLINE = "_outline"
_SURVEY = "_survey"


@attrs.frozen(slots=False, eq=False)
class TableView(Printable):
    """The facts of one table that rules read.

    `supported` holds the features the protocol at hand already supports, for rules that stand back
    when another feature does the job. The schema is walked only if a rule asks, and once for each of the two ways.
    """

    metadata: Metadata
    supported: frozenset[str] = frozenset()

    @property
    def properties(self) -> Mapping[str, str]:
        """The table properties."""
        return self.metadata.configuration

    @property
    def schema(self) -> StructType:
        """The parsed schema."""
        return self.metadata.schema

    @property
    def outline(self) -> SchemaOutline:
        """What the schema holds, enough to decide whether a rule fires."""
        # By hand, for the reason given in Metadata.schema.
        kept = self.__dict__
        if _OUTLINE not in kept:
            kept[_OUTLINE] = SchemaOutline(self.metadata.schema)
        outline: SchemaOutline = kept[_OUTLINE]
        return outline

    @property
    def survey(self) -> SchemaSurvey:
        """What the schema holds and where, enough to explain why a rule fires."""
        kept = self.__dict__
        if _SURVEY not in kept:
            kept[_SURVEY] = SchemaSurvey(self.metadata.schema)
        survey: SchemaSurvey = kept[_SURVEY]
        return survey

    def column_of(self, path: FieldPath) -> FieldPath:
        """The column or field that holds `path`: itself, or the one whose array or map it is inside of."""
        while path and path not in self._field_paths:
            path = path[:-1]
        return path

    @cached_property
    def _field_paths(self) -> frozenset[FieldPath]:
        return frozenset(path for path, _ in walk_fields(self.metadata.schema))

    def schema_markers_present(self, markers: Iterable[str]) -> list[str]:
        """Those markers the schema may contain, judged by its raw text; one left out is certainly absent.

        Markers are given as JSON spells them inside a string.
        """
        text = self.metadata.schema_string
        if not text:
            return []
        return list(markers) if has_other_spellings(text) else [marker for marker in markers if marker in text]


def has_other_spellings(text: str) -> bool:
    """Whether JSON text may spell plain characters otherwise, so that a search in it proves nothing."""
    return "\\" in text and ("\\u" in text or "\\/" in text)
