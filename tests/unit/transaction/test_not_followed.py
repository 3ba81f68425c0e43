"""A setting that is not followed is logged, once, with what holds instead."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from deltaresolver.errors import DeltaResolverError
from deltaresolver.table import Table
from deltaresolver.transaction.not_followed import NOT_FOLLOWED, _warn, warn_of_settings

PREVIEW = "spark.databricks.delta.variant.forceUsePreviewTableFeature"
RETENTION = "spark.databricks.delta.vacuum.enforceDeletedFileAndLogRetentionDurationCompatibility"


@pytest.fixture(autouse=True)
def never_warned() -> None:
    _warn.cache_clear()


@pytest.mark.parametrize(("key", "value"), [(PREVIEW, "true"), (PREVIEW, "TRUE"), (RETENTION, "false")])
def test_a_setting_that_is_not_followed_is_logged_once(key: str, value: str, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        warn_of_settings({key: value})
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert NOT_FOLLOWED[key] in record.getMessage()


@pytest.mark.parametrize("key", sorted(NOT_FOLLOWED))
def test_one_value_of_each_is_the_default_and_the_other_is_logged(key: str, caplog: pytest.LogCaptureFixture) -> None:
    warn_of_settings({key: "true"})
    warn_of_settings({key: "false"})
    assert len(caplog.records) == 1


@pytest.mark.parametrize("session", [{}, {PREVIEW: "false"}, {RETENTION: "true"}, {"spark.app.name": "true"}])
def test_defaults_are_followed(session: dict[str, str], caplog: pytest.LogCaptureFixture) -> None:
    warn_of_settings(session)
    assert caplog.records == []


def test_a_variant_column_brings_the_final_feature(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    table = Table.create(tmp_path / "t", schema="v VARIANT", session={PREVIEW: "true"})
    assert "variantType" in table.protocol.listed_features
    assert "variantType-preview" not in table.protocol.listed_features
    assert "which more clients know" in caplog.text


def test_a_log_is_never_kept_shorter_than_deleted_files(tmp_path: Path) -> None:
    shorter = {"delta.logRetentionDuration": "interval 1 day", "delta.deletedFileRetentionDuration": "interval 2 days"}
    with pytest.raises(DeltaResolverError) as raised:
        Table.create(tmp_path / "t", schema="id BIGINT", properties=shorter, session={RETENTION: "false"})
    assert "logRetentionDuration" in raised.value.message
