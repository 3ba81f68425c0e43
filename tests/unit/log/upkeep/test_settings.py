"""The properties that say how a log is kept, and their defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.log.upkeep import settings
from deltaresolver.model.metadata import Metadata


def test_the_defaults_are_those_of_delta_spark() -> None:
    metadata = Metadata()
    assert settings.checkpoint_interval(metadata) == 10
    assert settings.checkpoint_policy(metadata) is settings.CheckpointPolicy.CLASSIC
    assert settings.writes_stats_as_json(metadata)
    assert settings.writes_stats_as_struct(metadata)
    assert settings.cleans_up_expired_log(metadata)
    assert settings.checkpoint_protection_version(metadata) == 0
    assert settings.indexed_column_limit(metadata) == 32


@pytest.mark.parametrize(
    ("read", "key", "text", "expected"),
    [
        (settings.checkpoint_interval, "delta.checkpointInterval", "3", 3),
        (settings.checkpoint_policy, "delta.checkpointPolicy", "v2", settings.CheckpointPolicy.V2),
        (settings.writes_stats_as_json, "delta.checkpoint.writeStatsAsJson", "FALSE", False),
        (settings.cleans_up_expired_log, "delta.enableExpiredLogCleanup", "false", False),
        (settings.checkpoint_protection_version, "delta.requireCheckpointProtectionBeforeVersion", "9", 9),
    ],
)
def test_a_property_that_is_set_counts(read: Callable[[Metadata], Any], key: str, text: str, expected: object) -> None:
    assert read(Metadata(configuration={key: text})) == expected


@pytest.mark.parametrize(
    ("read", "key", "text"),
    [
        (settings.checkpoint_interval, "delta.checkpointInterval", "0"),
        (settings.checkpoint_interval, "delta.checkpointInterval", "ten"),
        (settings.checkpoint_policy, "delta.checkpointPolicy", "v3"),
        (settings.writes_stats_as_struct, "delta.checkpoint.writeStatsAsStruct", "yes"),
    ],
)
def test_a_property_that_cannot_be_is_refused(read: Callable[[Metadata], Any], key: str, text: str) -> None:
    with pytest.raises(PropertyInvalidError) as raised:
        read(Metadata(configuration={key: text}))
    assert raised.value.details["key"] == key
    assert raised.value.details["found"] == text
