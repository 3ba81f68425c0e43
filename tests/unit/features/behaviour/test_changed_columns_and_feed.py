"""changeDataFeed at commit: columns that stay as they are may be changed in a commit with files, names may not."""

from __future__ import annotations

import attrs
import pytest

from deltaresolver.errors import ColumnMappingError
from deltaresolver.transaction import operation as operations
from tests.transactions import Scene, add

FEED = {"delta.enableChangeDataFeed": "true"}
MAPPED = {**FEED, "delta.columnMapping.mode": "name", "delta.minReaderVersion": "2", "delta.minWriterVersion": "5"}


def test_without_mapping_properties_and_files_go_together() -> None:
    scene = Scene()
    scene.create(FEED)
    transaction = scene.begin()
    transaction.update_metadata(attrs.evolve(scene.snapshot().metadata, name="renamed"))
    transaction.commit([add("a")], operations.write())
    assert scene.snapshot().metadata.name == "renamed"


def test_mapping_is_not_switched_on_in_a_commit_with_files() -> None:
    scene = Scene()
    scene.create(FEED)
    transaction = scene.begin()
    transaction.update_metadata(scene.snapshot().metadata.with_configuration(MAPPED))
    with pytest.raises(ColumnMappingError):
        transaction.commit([add("a")], operations.write())
