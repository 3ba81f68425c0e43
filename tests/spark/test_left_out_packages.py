"""`without_plugins` of `ds.read` and `ds.write`: nothing of the packages is imported, no policy of theirs is asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltaresolver.spark as ds
from deltaresolver.errors import PluginSetAsideError, PluginUnknownError
from tests.unit.plugins.packages_on_disk import POLICY, install, site

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["site"]

pytestmark = pytest.mark.spark


def test_a_write_and_a_read_do_without_a_broken_guard(spark: SparkSession, site: Path, tmp_path: Path) -> None:
    module = install(site, "acme-delta", POLICY + "\nraise ImportError('broken')\n")
    rows, path = spark.range(3), str(tmp_path / "t")
    with pytest.raises(PluginSetAsideError, match="acme-delta"):
        ds.write(rows, path, mode="append")
    assert not (tmp_path / "t" / "_delta_log").exists()
    sys.modules.pop(module, None)
    ds.write(rows, path, mode="append", without_plugins=["Acme_Delta"])
    found = ds.read(spark, path, without_plugins=["acme-delta"])
    assert sorted(row["id"] for row in found.collect()) == [0, 1, 2]
    assert module not in sys.modules
    with pytest.raises(PluginUnknownError):
        ds.read(spark, path, without_plugins=["acme"])
    with pytest.raises(PluginUnknownError):
        ds.write(rows, path, mode="append", without_plugins=["acme"])
