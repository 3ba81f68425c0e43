"""Drops that need history gone: what they wait for, until when, and what stays readable."""

from __future__ import annotations

import pytest

from deltaresolver.errors import (
    HistoryKeptError,
    HistoryUsesFeatureError,
)
from deltaresolver.log.log import DeltaLog
from deltaresolver.model.protocol import Protocol
from deltaresolver.transaction.alter.alter_table import alter_table
from deltaresolver.transaction.drop.drop_feature import drop_feature
from tests.shop import HOUR_MS, Shop


def test_the_message_says_which_versions_are_waited_for_and_until_when() -> None:
    shop = Shop({"delta.enableDeletionVectors": "true"})
    shop.append()
    with pytest.raises(HistoryUsesFeatureError) as raised:
        drop_feature(shop.starter(), "deletionVectors", truncate_history=True)
    error = raised.value
    assert (error.details["first_version"], error.details["last_version"]) == (0, 1)
    assert "delta.dropFeatureTruncateHistory.retentionDuration is 'interval 24 hours'" in error.message
    assert error.details["until"] in error.message
    assert error.details["until"] in (error.fix or "")
    shop.clock.now = error.details["until_ms"] - 60_000
    with pytest.raises(HistoryUsesFeatureError):
        drop_feature(shop.starter(), "deletionVectors", truncate_history=True)
    shop.clock.now = error.details["until_ms"]
    assert drop_feature(shop.starter(), "deletionVectors", truncate_history=True).after == Protocol(1, 2)


def test_young_versions_stay_readable_where_history_is_cut() -> None:
    """The cut falls behind the last version with the feature, at a checkpoint that is written for it."""
    shop = Shop({"delta.enableDeletionVectors": "true"})
    alter_table(shop.starter(), {}, ["delta.enableDeletionVectors"])
    shop.clock.now += 25 * HOUR_MS
    young = [shop.append("a"), shop.append("b")]
    outcome = drop_feature(shop.starter(), "deletionVectors", truncate_history=True)
    assert outcome.after == Protocol(1, 2)
    log = DeltaLog(shop.store, clock=shop.clock)
    assert [len(list(log.snapshot(version).add_actions())) for version in young] == [1, 2]


def test_a_log_that_is_never_cut_is_reported_before_anything_is_committed() -> None:
    shop = Shop({"delta.enableDeletionVectors": "true", "delta.enableExpiredLogCleanup": "false"})
    slow = {"spark__databricks__delta__tableFeatures__fastDropFeature__enabled": "false"}
    with pytest.raises(HistoryKeptError, match="enableExpiredLogCleanup"):
        drop_feature(shop.starter(**slow), "deletionVectors")
    assert shop.snapshot.table_version == 0


def test_type_widening_that_changed_nothing_is_dropped_at_once() -> None:
    shop = Shop({"delta.enableTypeWidening": "true"})
    shop.append()
    outcome = drop_feature(shop.starter(), "typeWidening", truncate_history=True)
    assert outcome.after == Protocol(1, 2)
