"""The source of a MERGE: read once, kept, and known well enough to leave files of the table out."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.expressions.names import TargetNames, equalities, literal
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import DataType, StructType, quoted
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
_MOST_BROADCAST = 32 << 20
"""Bytes of a source that every task may get whole: joining by them costs the table no shuffle."""
_WHOLE = ("byte", "short", "integer", "long")


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
        keys = dict(equalities(condition, names)) if isinstance(condition, str) else {}
        asked = [functions.count("*").alias("rows"), self._bytes().alias("bytes")]
        for place, text in enumerate(keys.values()):
            asked += [functions.min(functions.expr(text)).alias(f"low_{place}")]
            asked += [functions.max(functions.expr(text)).alias(f"high_{place}")]
        told = frame.agg(*asked)
        types = {field.name: field.type for field in delta_schema(told.schema).fields}
        (found,) = told.collect()
        places = {name: place for place, name in enumerate(keys)}
        parts = [_bounds(name, place, found, types, metadata) for name, place in places.items()]
        bounds = " AND ".join(part for part in parts if part is not None) or None
        allowed = (find_setting(frame.sparkSession, _BROADCAST_OFF) or "").strip() != "-1"
        is_small = allowed and found["bytes"] is not None and found["bytes"] <= _MOST_BROADCAST
        return attrs.evolve(self, frame=frame, count=int(found["rows"]), is_small=is_small, bounds=bounds)

    def _bytes(self) -> Column:
        """About how many bytes the rows have; null where that is not easily told."""
        from pyspark.sql import functions

        if not all(isinstance(field.type, str) and field.type != "variant" for field in self.schema.fields):
            return functions.lit(None).cast("bigint")
        fixed = functions.count("*") * (16 + 8 * len(self.schema.fields))
        texts = [field.name for field in self.schema.fields if field.type in ("string", "binary")]
        lengths = [functions.sum(functions.octet_length(quoted(name))) for name in texts]
        return balanced(operator.add, [fixed, *(functions.coalesce(length, functions.lit(0)) for length in lengths)])


def _bounds(name: str, place: int, found: Any, types: Mapping[str, DataType], metadata: Metadata) -> str | None:
    """Between which values the column lies in rows that match; None where that is not said in both's terms."""
    field = next(each for each in metadata.schema.fields if each.name.lower() == name.lower())
    given, low, high = types[f"low_{place}"], found[f"low_{place}"], found[f"high_{place}"]
    if not (given == field.type or (given in _WHOLE and field.type in _WHOLE)):
        return None
    if low is None:
        return "false"
    if given in _WHOLE:
        texts = [str(low), str(high)]
    elif given == "string":
        texts = [literal(low), literal(high)]
    elif given == "date":
        texts = [f"DATE {literal(low.isoformat())}", f"DATE {literal(high.isoformat())}"]
    else:
        return None
    column = quoted(field.name)
    return f"{column} >= {texts[0]} AND {column} <= {texts[1]}"
