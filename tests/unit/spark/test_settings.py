"""The list of delta-spark's settings, what is done about each, and its page."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from deltaresolver.errors import SettingRefusedError
from deltaresolver.spark.settings.check import UnknownSettingWarning, check_settings, known_settings
from deltaresolver.spark.settings.rules import FOLLOWED, PREFIX, REFUSED

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "settings.md").read_text()


def test_what_is_followed_or_refused_is_a_setting_of_delta_spark() -> None:
    assert {PREFIX + name for name in (*FOLLOWED, *REFUSED)} <= known_settings()
    assert not FOLLOWED.keys() & REFUSED.keys()


def test_the_page_lists_every_setting() -> None:
    missing = [name for name in known_settings() if f"`{name.removeprefix(PREFIX)}`" not in PAGE]
    assert missing == []


@pytest.mark.parametrize("name", REFUSED)
def test_a_value_that_changes_results_is_refused(name: str) -> None:
    for value in REFUSED[name].allowed:
        check_settings({PREFIX + name: value.upper()})
    with pytest.raises(SettingRefusedError, match="not followed here"):
        check_settings({PREFIX + name: "other"})


def test_an_unknown_setting_is_warned_about_once() -> None:
    key = PREFIX + "schema.autoMerge.enable"
    with pytest.warns(UnknownSettingWarning, match="did you mean spark.databricks.delta.schema.autoMerge.enabled"):
        check_settings({key: "true", PREFIX + "properties.defaults.anything": "1", "spark.other": "2"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_settings({key: "true"})
