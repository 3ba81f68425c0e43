"""The source of a MERGE: read once, kept, and known well enough to leave files of the table out."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.expressions.names import TargetNames, equalities, literal
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructType, quoted
from deltaresolver.spark.changes.conditions import Given
from deltaresolver.spark.folding import balanced
from deltaresolver.spark.reading.file_facts import PREFIX
from deltaresolver.spark.schema import delta_schema
from deltaresolver.spark.session import find_setting

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SOURCE_ROW = f"{PREFIX}source_row"
"""The number of a row of the source."""
_BROADCAST_OFF = "spark.sql.autoBroadcastJoinThreshold"
_MAX_BROADCAST = 32 << 20
"""Bytes of a source that every task may get whole: joining by them costs the table no shuffle."""
_WHOLE = ("byte", "short", "integer", "long")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@attrs.frozen(slots=True, eq=False)
class MergeSource:
    """The rows of a source, numbered, under the names that the user gave them.

    count      how many rows there are
    is_small   whether every task may get them all
    bounds     conditions that rows of the table satisfy where they match any of these
    """

    frame: DataFrame
    schema: StructType
    count: int | None = None
    is_small: bool = False
    bounds: str | None = None

    @classmethod
    def of(cls, rows: DataFrame) -> MergeSource:
        """The source as it is, not yet read."""
        return cls(rows, delta_schema(rows.schema))

    def column(self, place: int) -> str:
        """The name that nothing else has of the column at `place`."""
        return f"{PREFIX}source_{place}"

    @property
    def told_apart(self) -> DataFrame:
        """The rows with every column once more, under a name that nothing else has."""
        from pyspark.sql import functions

        known = Counter(field.name.lower() for field in self.schema.fields)
        copies = [
            functions.col(quoted(field.name)).alias(self.column(place))
            for place, field in enumerate(self.schema.fields)
            if known[field.name.lower()] == 1
        ]
        return self.frame.select("*", *copies)

    @property
    def for_join(self) -> DataFrame:
        """The rows for a join with the table."""
        from pyspark.sql import functions

        return functions.broadcast(self.told_apart) if self.is_small else self.told_apart

    def kept(self, condition: Given, names: TargetNames, metadata: Metadata) -> MergeSource:
        """The same, read now and for the last time; what is lost of it ends the merge and is not read again."""
        from pyspark.sql import functions

        frame = self.frame.withColumn(SOURCE_ROW, functions.monotonically_increasing_id()).localCheckpoint()
        found_keys = equalities(condition, names) if isinstance(condition, str) else ()
        keys = {name.lower(): text for name, text in found_keys}
        kinds = _bounded(frame, keys, metadata)
        asked = [functions.count("*").alias("rows"), self._bytes().alias("bytes")]
        for place, name in enumerate(kinds):
            value = functions.expr(keys[name.lower()])
            # As text, since Python has no days beyond year 9999.
            for end, best in (("low", functions.min(value)), ("high", functions.max(value))):
                asked += [best.cast("string").alias(f"{end}_{place}")]
        (found,) = frame.agg(*asked).collect()
        parts = [
            _bounds(name, kind, found[f"low_{place}"], found[f"high_{place}"])
            for place, (name, kind) in enumerate(kinds.items())
        ]
        bounds = " AND ".join(part for part in parts if part is not None) or None
        allowed = (find_setting(frame.sparkSession, _BROADCAST_OFF) or "").strip() != "-1"
        is_small = allowed and found["bytes"] is not None and found["bytes"] <= _MAX_BROADCAST
        return attrs.evolve(self, frame=frame, count=int(found["rows"]), is_small=is_small, bounds=bounds)

    def _bytes(self) -> Column:
        """About how many bytes the rows have; null where that takes work to find out."""
        from pyspark.sql import functions

        if not all(isinstance(field.type, str) and field.type != "variant" for field in self.schema.fields):
            return functions.lit(None).cast("bigint")
        fixed = functions.count("*") * (16 + 8 * len(self.schema.fields))
        texts = [field.name for field in self.schema.fields if field.type in ("string", "binary")]
        lengths = [functions.sum(functions.octet_length(quoted(name))) for name in texts]
        return balanced(operator.add, [fixed, *(functions.coalesce(length, functions.lit(0)) for length in lengths)])


def _bounded(frame: DataFrame, keys: Mapping[str, str], metadata: Metadata) -> Mapping[str, str]:
    """The columns whose bounds hold for both sides, and their types; `keys` has the expressions that they equal.

    Those names are lowered, and the ones that are returned are the table's.
    """
    from pyspark.sql import functions

    if not keys:
        return {}
    given = frame.select(*(functions.expr(text).alias(f"key_{place}") for place, text in enumerate(keys.values())))
    fields = {field.name.lower(): field for field in metadata.schema.fields}
    found = {}
    for name, own in zip(keys, delta_schema(given.schema).fields, strict=True):
        field = fields[name]
        both_whole = own.type in _WHOLE and field.type in _WHOLE
        if both_whole or (own.type == field.type and field.type in ("string", "date")):
            found[field.name] = str(field.type)
    return found


def _bounds(name: str, kind: str, low: str | None, high: str | None) -> str | None:
    """Between which values the column lies in rows that match; None where that cannot be written down."""
    if low is None or high is None:
        return "false"
    if kind == "date" and not (_DAY.fullmatch(low) and _DAY.fullmatch(high)):
        return None
    if kind in _WHOLE:
        texts = [low, high]
    else:
        texts = [f"{'DATE ' if kind == 'date' else ''}{literal(end)}" for end in (low, high)]
    column = quoted(name)
    return f"{column} >= {texts[0]} AND {column} <= {texts[1]}"
