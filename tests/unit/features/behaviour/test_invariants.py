"""invariants: what is stored with a column is read only where it holds anything."""

from __future__ import annotations

import json

import pytest

from deltaresolver.errors import SchemaMalformedError
from deltaresolver.features.invariants import ensure_readable
from deltaresolver.model.facts.keys import INVARIANTS
from deltaresolver.model.schema import StructField

SOUND = json.dumps({"expression": {"expression": "id > 0"}})


@pytest.mark.parametrize("text", ["", "no JSON", "[]", "{}", 7, '{"expression": 1}'])
def test_a_damaged_invariant_is_told_unless_the_column_may_not_be_null(text: object) -> None:
    with pytest.raises(SchemaMalformedError, match="id"):
        ensure_readable(StructField("id", "long", True, {INVARIANTS: text}))
    ensure_readable(StructField("id", "long", False, {INVARIANTS: text}))


def test_a_sound_invariant_is_readable() -> None:
    ensure_readable(StructField("id", "long", True, {INVARIANTS: SOUND}))
