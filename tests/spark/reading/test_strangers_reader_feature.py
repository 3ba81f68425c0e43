"""A stranger's feature for readers: rows are shown through its expressions, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import deltaresolver.spark as ds
from deltaresolver import defaults
from deltaresolver.errors import FeatureReadFailedError, PluginCallFailedError, ReadUnsupportedError, WriteOptionError
from deltaresolver.model.actions import AddFile
from deltaresolver.model.capabilities import AmendsCommits
from deltaresolver.model.commit.draft import Draft
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.support import REFUSED, SAFE, ReadAs, Support
from deltaresolver.plugins import Plugin, PluginSource, hookimpl, registered
from deltaresolver.table import Table
from tests.features import reader_feature
from tests.unit.plugins.packages_on_disk import forget

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SAMPLE = Path(__file__).parents[2] / "sample_plugin"
NASTY = "a.b `c` d"
MASKED = {"sample.mask": "all"}


def field(name: str, kind: Any, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata or {}}


SCHEMA = {
    "type": "struct",
    "fields": [
        field("id", "long"),
        field("name", "string", MASKED),
        field(NASTY, "integer", MASKED),
        field("home", {"type": "struct", "fields": [field("street", "string", MASKED)]}),
    ],
}


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Makes plugins those that the process finds, beside the built-in ones."""

    def given(*plugins: Plugin) -> None:
        monkeypatch.setattr(defaults, "installed_plugins", lambda without: (plugins, ()))
        forget()

    yield given
    forget()


def bring(feature: object) -> Plugin:
    class Bringing:
        @hookimpl
        def table_feature(self) -> Any:
            return feature

    return Plugin(Bringing(), PluginSource("seals", "acme-delta"))


@pytest.fixture
def masked(monkeypatch: pytest.MonkeyPatch, install: Any, tmp_path: Path, spark: SparkSession) -> str:
    """A table with columns that the sample package masks."""
    monkeypatch.syspath_prepend(str(SAMPLE))
    from deltaresolver_sample import masked_columns  # type: ignore[import-not-found]

    install(*registered((masked_columns,)))
    location = str(tmp_path / "t")
    properties = {"delta.columnMapping.mode": "name", "delta.checkpointInterval": "2"}
    Table.create(location, SCHEMA, properties=properties)
    for first in (0, 2, 4):
        rows = [(n, f"n{n}" if n else None, n, {"street": f"s{n}"}) for n in (first, first + 1)]
        schema = f"id long, name string, `{NASTY.replace('`', '``')}` int, home struct<street: string>"
        ds.write(spark.createDataFrame(rows, schema), location, mode="append")
    return location


def test_rows_are_shown_through_the_expressions_of_the_feature(spark: SparkSession, masked: str) -> None:
    shown = ds.read(spark, masked).orderBy("id").collect()
    assert [tuple(row) for row in shown] == [(n, "***" if n else None, None, None) for n in range(6)]
    assert ds.read(spark, masked).schema == ds.read(spark, masked, version=0).schema
    assert [file.name for file in Path(masked, "_delta_log").glob("*.checkpoint.parquet")]


def test_conditions_are_about_what_is_shown(spark: SparkSession, masked: str) -> None:
    assert ds.read(spark, masked, where="name = 'n3'").count() == 0
    assert ds.read(spark, masked, where="name = '***'").count() == 5
    assert ds.read(spark, masked, where="name = '***' AND id > 3", columns=["id"]).count() == 2


def test_rows_are_changed_as_they_are_stored(spark: SparkSession, masked: str) -> None:
    ds.delete(spark, masked, "id = 3")
    ds.update(spark, masked, {"id": "id + 100"}, "id < 2")
    assert sorted(row.id for row in ds.read(spark, masked).collect()) == [2, 4, 5, 100, 101]
    assert ds.read(spark, masked, where="name = '***'").count() == 4


@pytest.mark.parametrize("options", [{}, {"replaceWhere": "id < 3"}, {"partitionOverwriteMode": "dynamic"}])
def test_what_is_shown_does_not_replace_what_is_stored(
    spark: SparkSession, masked: str, tmp_path: Path, options: dict[str, str]
) -> None:
    shown = ds.read(spark, masked).where("id < 3")
    version = Table(masked).update().table_version
    with pytest.raises(WriteOptionError, match="sampleMaskedColumns"):
        ds.write(shown.select("*"), masked, mode="overwrite", options=options)
    assert Table(masked).update().table_version == version
    ds.write(shown.select("id", "name"), str(tmp_path / "copy"), mode="overwrite")
    ds.write(spark.createDataFrame([(9, "n9")], "id long, name string"), masked, mode="overwrite")
    assert [row.id for row in ds.read(spark, masked).collect()] == [9]


def test_readers_that_evaluate_no_expressions_refuse(spark: SparkSession, masked: str) -> None:
    ds.register(spark)
    with pytest.raises(Exception, match=r"sampleMaskedColumns"):
        spark.read.format("deltaresolver").load(masked).collect()
    with pytest.raises(ReadUnsupportedError, match="sampleMaskedColumns"):
        ds.read(spark, masked, change_feed=ds.ChangeFeed(starting_version=0))


def shown_as(**stated: Any) -> Any:
    return reader_feature("acmeSealed", support=Support(**stated))


@pytest.mark.parametrize(
    ("stated", "error", "words"),
    [
        ({}, ReadUnsupportedError, "needs acmeSealed of its readers"),
        ({"read": REFUSED}, ReadUnsupportedError, "needs acmeSealed of its readers"),
        ({"read": ReadAs(columns=lambda _: {"salary": "1"})}, FeatureReadFailedError, "does not have: salary"),
        ({"read": ReadAs(columns=lambda _: {"id": "nothing + 1"})}, FeatureReadFailedError, "acmeSealed"),
        ({"read": ReadAs(rows=lambda _: "id >")}, FeatureReadFailedError, "acmeSealed"),
        (
            {"read": ReadAs(rows=lambda metadata: metadata.configuration["nothing"])},
            PluginCallFailedError,
            "of package acme-delta",
        ),
    ],
)
def test_what_cannot_be_shown_is_refused(
    spark: SparkSession, tmp_path: Path, install: Any, stated: dict[str, Any], error: type[Exception], words: str
) -> None:
    location = str(tmp_path / "t")
    install(bring(shown_as(**stated)))
    Table.create(location, {"type": "struct", "fields": [field("id", "long")]}, properties={"acme.acmeSealed": "true"})
    ds.write(spark.range(3), location, mode="append")
    with pytest.raises(error, match=words):
        ds.read(spark, location)


def test_rows_may_be_left_out(spark: SparkSession, tmp_path: Path, install: Any) -> None:
    location = str(tmp_path / "t")
    install(bring(shown_as(read=ReadAs(rows=lambda _: "id > 0", columns=lambda _: {"ID": "id * 10"}))))
    Table.create(location, {"type": "struct", "fields": [field("id", "long")]}, properties={"acme.acmeSealed": "true"})
    ds.write(spark.range(3), location, mode="append")
    assert sorted(row.id for row in ds.read(spark, location).collect()) == [10, 20]
    with pytest.raises(Exception, match="acmeSealed"):
        ds.delete(spark, location, "id = 1")


def test_files_may_be_left_out_by_what_the_log_has_of_them(spark: SparkSession, tmp_path: Path, install: Any) -> None:
    def shows(metadata: Metadata, file: AddFile) -> bool:
        return (file.tags or {}).get("acme.batch") not in metadata.configuration["acme.recalled"].split(",")

    class Tagging(AmendsCommits):
        def amend_draft(self, draft: Draft) -> Draft:
            batch = str(draft.before.table_version)
            tagged = [
                attrs.evolve(one, tags={"acme.batch": batch}) for one in draft.actions if isinstance(one, AddFile)
            ]
            return draft.with_actions([*tagged, *(one for one in draft.actions if not isinstance(one, AddFile))])

    location = str(tmp_path / "t")
    install(bring(reader_feature("acmeSealed", support=Support(read=ReadAs(files=shows)), behaviour=Tagging())))
    properties = {"acme.acmeSealed": "true", "acme.recalled": "", "delta.checkpointInterval": "2"}
    Table.create(location, {"type": "struct", "fields": [field("id", "long")]}, properties=properties)
    for first in (0, 2, 4):
        ds.write(spark.range(first, first + 2), location, mode="append")
    assert ds.read(spark, location).count() == 6
    Table(location).alter({"acme.recalled": "1"})
    assert sorted(row.id for row in ds.read(spark, location).collect()) == [0, 1, 4, 5]
    assert ds.read(spark, location, where="id BETWEEN 1 AND 3").count() == 1
    assert ds.read(spark, location, version=3).count() == 6
    ds.register(spark)
    with pytest.raises(Exception, match=r"acmeSealed"):
        spark.read.format("deltaresolver").load(location).collect()


def test_a_feature_that_asks_nothing_of_readers_is_read_everywhere(
    spark: SparkSession, tmp_path: Path, install: Any
) -> None:
    location = str(tmp_path / "t")
    install(bring(shown_as(read=SAFE)))
    Table.create(location, {"type": "struct", "fields": [field("id", "long")]}, properties={"acme.acmeSealed": "true"})
    ds.write(spark.range(3), location, mode="append")
    ds.delete(spark, location, "id = 1")
    assert sorted(row.id for row in ds.read(spark, location).collect()) == [0, 2]
    ds.register(spark)
    assert ds.read(spark, location).count() == 2
