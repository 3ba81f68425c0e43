"""invariants: what is stored with a column is read only where it holds anything."""

from __future__ import annotations

import json

import pytest

from deltaresolver.errors import SchemaMalformedError
from deltaresolver.features.invariants import ensure_readable
from deltaresolver.model.facts.keys import INVARIANTS
from deltaresolver.model.schema import StructField

SOUND = json.dumps({"expression": {"expression": "id > 0"}})


MISMATCHED = ("MismatchedInputException", None)
UNRECOGNIZED = ("DeltaUnsupportedOperationException", "DELTA_UNRECOGNIZED_INVARIANT")


@pytest.mark.parametrize(
    ("text", "of_spark"),
    [
        *(("", MISMATCHED), ("no JSON", MISMATCHED), ("[]", MISMATCHED), ("{}", UNRECOGNIZED)),
        *((7, MISMATCHED), ('{"expression": 1}', MISMATCHED)),
    ],
)
def test_a_damaged_invariant_is_reported_unless_the_column_may_not_be_null(
    text: object, of_spark: tuple[str, str | None]
) -> None:
    with pytest.raises(SchemaMalformedError, match="id") as caught:
        ensure_readable(StructField("id", "long", True, {INVARIANTS: text}))
    assert (caught.value.delta_class, caught.value.delta_condition) == of_spark
    assert caught.value.details == {"column": "id", "value": repr(text)}
    ensure_readable(StructField("id", "long", False, {INVARIANTS: text}))


def test_a_sound_invariant_is_readable() -> None:
    ensure_readable(StructField("id", "long", True, {INVARIANTS: SOUND}))
