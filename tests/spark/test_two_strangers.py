"""The whole life of a table with features of two strangers, whose packages need each other.

Both packages are installed as pip leaves them. At the end the features are dropped, and clients that never heard of
them read the table: delta-spark and delta-rs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deltalake
import pytest

import deltaresolver as dr
import deltaresolver.spark as ds
from deltaresolver.errors import DeltaResolverError, FeatureDropRefusedError, PolicyRefusedError, RowViolationError
from deltaresolver.log.upkeep.cleanup import clean_up_log
from deltaresolver.model.actions import AddFile
from deltaresolver.table import Table
from deltaresolver.transaction.operation import operation
from tests.peers.fixtures import delta_spark
from tests.unit.plugins.packages_on_disk import install_folder, site

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.peers.delta_spark import DeltaSpark

__all__ = ["delta_spark", "site"]
pytestmark = [pytest.mark.spark, pytest.mark.peer]

SOURCES = Path(__file__).parents[1]
STRANGERS = {"lineageSource", "sampleChangeApproval", "sampleMaskedColumns", "sampleSealedRows"}
SCHEMA = {
    "type": "struct",
    "fields": [
        {"name": "id", "type": "long", "nullable": True, "metadata": {}},
        {"name": "amount", "type": "integer", "nullable": True, "metadata": {}},
        {"name": "email", "type": "string", "nullable": True, "metadata": {"sample.mask": "all"}},
    ],
}
PROPERTIES = {
    "sample.requireChangeApproval": "true",
    "sample.sealedRows": "amount < 1000",
    "lineage.track": "true",
    "lineage.source": "shop",
    "lineage.positiveColumn": "amount",
    "delta.checkpointInterval": "5",
    "delta.enableDeletionVectors": "true",
}

APPEND = operation("WRITE", {"mode": '"Append"'})


class Story:
    """One table and the rows it should have."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self.spark, self.path = spark, path
        self.rows: dict[int, tuple[int, str]] = {}

    @property
    def table(self) -> Table:
        return Table(self.path)

    def frame(self, rows: dict[int, tuple[int, str]]) -> Any:
        listed = [(key, amount, email) for key, (amount, email) in rows.items()]
        return self.spark.createDataFrame(listed, "id long, amount int, email string")

    def append(self, rows: dict[int, tuple[int, str]], **options: Any) -> None:
        ds.write(self.frame(rows).coalesce(1), self.path, mode="append", **options)
        self.rows |= rows

    def check(self, *, masked: bool) -> None:
        """A reader sees just the rows there should be."""
        found = {row.id: (row.amount, row.email) for row in ds.read(self.spark, self.path).collect()}
        assert found == {key: (amount, "***" if masked else email) for key, (amount, email) in self.rows.items()}

    def checkpoints(self) -> list[str]:
        return sorted(file.name for file in Path(self.path, "_delta_log").glob("*.checkpoint*"))


@pytest.fixture
def story(delta_spark: DeltaSpark, site: Path, tmp_path: Path) -> Story:
    for package in ("sample_plugin", "sample_lineage"):
        install_folder(site, SOURCES / package)
    path = str(tmp_path / "told")
    Table.create(path, SCHEMA, properties=PROPERTIES)
    return Story(delta_spark.spark, path)


def test_a_table_lives_with_features_of_two_strangers_until_they_are_dropped(
    story: Story, delta_spark: DeltaSpark, site: Path
) -> None:
    assert story.table.protocol.writer_feature_names >= STRANGERS
    assert story.table.protocol.reader_feature_names == {"sampleMaskedColumns", "deletionVectors"}
    _thirty_commits(story)
    _restart(story, site)
    _rows_are_held_to_both(story)
    _two_writers(story)
    _clean_up(story)
    _features_go(story)
    _peers_read_it(story, delta_spark)


def _thirty_commits(story: Story) -> None:
    for number in range(8):
        story.append({number * 10 + one: (number + 1, f"u{number}@example.com") for one in range(5)})
    assert ds.update(story.spark, story.path, {"amount": "amount + 100"}, "id < 5") is not None
    story.rows |= {key: (amount + 100, email) for key, (amount, email) in story.rows.items() if key < 5}
    ds.delete(story.spark, story.path, "id IN (0, 11, 22)")
    for key in (0, 11, 22):
        del story.rows[key]
    assert any(file.deletion_vector is not None for file in story.table.snapshot().add_actions())
    assert any(name.endswith(".checkpoint.parquet") and name.count(".") == 2 for name in story.checkpoints())
    story.table.alter({"delta.checkpointPolicy": "v2"})
    source = story.frame({1: (7, "changed@example.com"), 500: (8, "new@example.com")}).alias("s")
    merge = ds.DeltaTable.forPath(story.spark, story.path).alias("t").merge(source, "t.id = s.id")
    merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    story.rows |= {1: (7, "changed@example.com"), 500: (8, "new@example.com")}
    while story.table.snapshot().table_version < 30:
        key = 1000 + story.table.snapshot().table_version
        story.append({key: (3, f"u{key}@example.com")})
    story.check(masked=True)
    names = story.checkpoints()
    assert any(name.endswith((".json", ".parquet")) and len(name.split(".")) == 4 for name in names), names
    assert story.table.snapshot().segment.checkpoint is not None
    assert len(ds.read(story.spark, story.path, where="email = 'changed@example.com'").collect()) == 0
    assert len(ds.read(story.spark, story.path, where="email = '***' AND id = 1").collect()) == 1


def _restart(story: Story, site: Path) -> None:
    """Another process, which knows the packages only from where they are installed."""
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}

    def run(*command: str) -> str:
        told = [sys.executable, "-m", "deltaresolver.cli", *command]
        done = subprocess.run(told, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "lineageSource" in run("explain", story.path)
    assert "trino reads from 482 on and writes never" in run("features", "lineageSource")
    assert "SourceBusyError" in run("explain", "LINEAGE01")
    packages = {one["package"]: one["state"] for one in json.loads(run("plugins", "--json"))["plugins"]}
    assert packages == {"deltaresolver-lineage": "used", "deltaresolver-sample": "used"}
    counts = json.loads(Table(story.path).snapshot().domains["lineage.sources"].configuration)
    assert counts["shop"] >= 20
    assert all((file.tags or {}).get("lineage.source") == "shop" for file in story.table.snapshot().add_actions())


def _rows_are_held_to_both(story: Story) -> None:
    before = story.table.snapshot().table_version
    for amount, condition in ((0, "lineage positive"), (1000, "sealed rows")):
        with pytest.raises(RowViolationError, match=condition):
            ds.write(story.frame({9000: (amount, "x")}), story.path, mode="append")
        with pytest.raises(RowViolationError, match=condition):
            ds.update(story.spark, story.path, {"amount": str(amount)}, "id = 2")
    with pytest.raises(PolicyRefusedError):
        story.table.alter(unset=["sample.requireChangeApproval"])
    assert story.table.snapshot().table_version == before


def _two_writers(story: Story) -> None:
    """Commits of two sources follow each other; of one source, the second is refused by the stranger's own error."""
    for sources, refused in ((("a", "b"), False), (("a", "a"), True)):
        handles = [Table(story.path, session={"lineage.source": one}) for one in sources]
        transactions = [handle.start_transaction() for handle in handles]
        key = 2000 + len(story.rows)
        files = [_file_of(story, {key + number: (5, "w")}) for number in range(2)]
        transactions[0].commit([files[0]], APPEND)
        story.rows[key] = (5, "w")
        if refused:
            with pytest.raises(DeltaResolverError, match="has rows of a, too") as raised:
                transactions[1].commit([files[1]], APPEND)
            assert raised.value.code == "LINEAGE01"
        else:
            transactions[1].commit([files[1]], APPEND)
            story.rows[key + 1] = (5, "w")
    counts = json.loads(story.table.snapshot().domains["lineage.sources"].configuration)
    assert (counts["a"], counts["b"]) == (2, 1)
    story.check(masked=True)


def _file_of(story: Story, rows: dict[int, tuple[int, str]]) -> AddFile:
    """A data file of the table that no commit names yet."""
    folder = Path(story.path).with_name(f"rows-{next(iter(rows))}")
    story.frame(rows).coalesce(1).write.parquet(str(folder))
    (written,) = folder.glob("*.parquet")
    file = written.rename(Path(story.path) / written.name)
    stats = json.dumps({"numRecords": len(rows)})
    return AddFile(file.name, {}, file.stat().st_size, int(time.time() * 1000), data_change=True, stats=stats)


def _clean_up(story: Story) -> None:
    """Log files that have expired may go, whatever features the table has."""
    log = Path(story.path, "_delta_log")
    long_ago = time.time() - 60 * 24 * 3600
    for file in log.glob("*.json"):
        if int(file.name[:20]) < story.table.snapshot().table_version - 8:
            os.utime(file, (long_ago, long_ago))
    assert (log / f"{3:020}.json").exists()
    cleaned = clean_up_log(story.table.log, int(time.time() * 1000), dr.default_catalog())
    assert cleaned.refusal is None
    assert not (log / f"{3:020}.json").exists()
    story.check(masked=True)


def _features_go(story: Story) -> None:
    assert list(dr.apply_plan(story.table, "-deletionVectors", rewriter=ds.SparkRewriter(story.spark)))
    assert "deletionVectors" not in story.table.protocol.listed_features
    assert "checkpointProtection" in story.table.protocol.writer_feature_names
    assert not any(file.deletion_vector is not None for file in story.table.snapshot().add_actions())
    story.check(masked=True)
    for feature in ("sampleChangeApproval", "lineageSource"):  # each is needed by another
        with pytest.raises(FeatureDropRefusedError, match="which needs it"):
            story.table.drop_feature(feature)
    for feature in ("sampleSealedRows", "lineageSource", "sampleChangeApproval", "sampleMaskedColumns", "v2Checkpoint"):
        story.table.drop_feature(feature)
        assert feature not in story.table.protocol.listed_features
    assert not story.table.protocol.listed_features & STRANGERS
    assert "lineage.sources" not in story.table.snapshot().domains
    story.check(masked=False)
    story.append({5000: (5000, "free@example.com")})
    story.check(masked=False)


def _peers_read_it(story: Story, delta_spark: DeltaSpark) -> None:
    expected = sorted((key, amount, email) for key, (amount, email) in story.rows.items())
    found = deltalake.DeltaTable(story.path).to_pyarrow_table().to_pylist()
    assert sorted((row["id"], row["amount"], row["email"]) for row in found) == expected
    rows = delta_spark.read(story.path).collect()
    assert sorted((row.id, row.amount, row.email) for row in rows) == expected
