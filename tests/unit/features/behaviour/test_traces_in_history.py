"""What in a table's history shows that it used deletion vectors."""

from __future__ import annotations

import attrs
import pytest

from deltaresolver.features.deletion_vectors import DeletionVectorsBehaviour
from deltaresolver.model.actions import Action, AddFile, DeletionVector, RemoveFile, SetTransaction
from deltaresolver.model.metadata import Metadata

VECTOR = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 36, 1)
PLAIN = AddFile("a", {}, 1, 1, data_change=True)
ENABLED = {"delta.enableDeletionVectors": "true"}


@pytest.mark.parametrize(
    ("action", "is_trace"),
    [
        (attrs.evolve(PLAIN, deletion_vector=VECTOR), True),
        (RemoveFile("a", 1, deletion_vector=VECTOR), True),
        (Metadata("t", configuration=ENABLED), True),
        (PLAIN, False),
        (RemoveFile("a", 1), False),
        (Metadata("t"), False),
        (SetTransaction("app", 1, None), False),
    ],
)
def test_vectors_and_their_property_in_history_are_traces(action: Action, is_trace: bool) -> None:
    assert DeletionVectorsBehaviour().is_trace(action) is is_trace
