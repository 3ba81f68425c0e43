"""What work grows with: for each axis, how to make the input in a size, and the work to count on it.

Making the input is not counted. A work that changes its input gets a new one for each count.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import attrs

from benchmarks.lake import LogShape, write_log
from benchmarks.lake_generator import generate_lake
from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.scan.runners import InProcess
from deltaresolver.clients.catalogue import ClientCatalogue
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.defaults import default_catalog
from deltaresolver.expressions.predicates import Compare, Comparison
from deltaresolver.model import Metadata
from deltaresolver.model.actions import AddFile
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.planning.impact import impact_over, needs_after_setting
from deltaresolver.planning.plan import plan
from deltaresolver.plugin import hookimpl
from deltaresolver.plugins import Plugin, PluginSource, build_catalog
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations

Work = Callable[[], object]


@attrs.frozen
class Axis:
    """One work, what it grows with, the sizes that are counted, and the slope that its calls may have."""

    work: str
    grows_with: str
    make: Callable[[int, Path], Work]
    sizes: Sequence[int]
    most: float = 1.0

    @property
    def name(self) -> str:
        """Short and unique."""
        return f"{self.grows_with}: {self.work}"


def _log(commits: int, actions: int, folder: Path) -> str:
    return str(write_log(folder, LogShape(commits, actions)))


def _all_files(size: int, folder: Path) -> Work:
    path = _log(1, size, folder)
    return lambda: Table(path).snapshot().files()


def _filtered(size: int, folder: Path) -> Work:
    path, predicate = _log(1, size, folder), Compare(("id",), Comparison.LESS, 10)
    return lambda: Table(path).snapshot().files(predicate)


def _protocol(size: int, folder: Path) -> Work:
    path = _log(size, 2, folder)
    return lambda: Table(path).protocol


def _newest_history(size: int, folder: Path) -> Work:
    path = _log(size, 2, folder)
    return lambda: Table(path).history(10)


def _append(size: int, folder: Path) -> Work:
    table = Table(_log(size, 2, folder))
    table.snapshot().files()
    file = AddFile(
        path="new.parquet", partition_values={"day": "2024-01-01"}, size=9, modification_time=1, data_change=True
    )
    return lambda: table.start_transaction().commit([file], operations.write("Append"))


def _audit(size: int, folder: Path) -> Work:
    made = list(generate_lake(folder / "lake", size))
    # In this process: calls in another one are not counted.
    request = AuditRequest(tables=tuple(one.location for one in made), budget=None)
    return lambda: audit_lake(request, InProcess(), folder / "work", folder / "audit.json")


_numbers = itertools.count(1)


def _columns(count: int, number: int = 0) -> Metadata:
    kinds = ("long", "string", "double", "timestamp_ntz")
    fields = [
        {"name": f"c{one}", "type": kinds[one % len(kinds)], "nullable": True, "metadata": {}} for one in range(count)
    ]
    schema = json.dumps({"type": "struct", "fields": fields})
    configuration = {"delta.enableRowTracking": "true", "growth.number": str(number)}
    return Metadata(schema_string=schema, configuration=configuration)


def _resolve_columns(size: int, _folder: Path) -> Work:
    catalog = default_catalog()
    return lambda: resolve_new_table(_columns(size), catalog)


def _plan_columns(size: int, _folder: Path) -> Work:
    metadata = _columns(size, next(_numbers))  # equal to no other, which might be in a cache
    return lambda: plan(metadata, "-rowTracking")


def _partitions(size: int, folder: Path) -> Work:
    """A table with `size` partitions of one file, and a condition that selects one."""
    log = folder / "parts" / "_delta_log"
    log.mkdir(parents=True)
    schema = json.dumps(
        {"type": "struct", "fields": [{"name": "p", "type": "string", "nullable": True, "metadata": {}}]}
    )
    lines = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": {"id": "p", "format": {"provider": "parquet", "options": {}}, "schemaString": schema,
                      "partitionColumns": ["p"], "configuration": {}, "createdTime": 1}},
        *({"add": {"path": f"p={one}/f.parquet", "partitionValues": {"p": str(one)}, "size": 9, "modificationTime": 1,
                   "dataChange": True}} for one in range(size)),
    ]  # fmt: skip
    (log / f"{0:020}.json").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="ascii")
    predicate = Compare(("p",), Comparison.EQUAL, "7")
    return lambda: Table(str(folder / "parts")).snapshot().files(predicate)


def _feature(number: int) -> TableFeature:
    key = f"acme.f{number}"
    return TableFeature(
        name=f"f{number}",
        kind=FeatureKind.READER_WRITER,
        summary="Made up.",
        spec_url="https://example.com",
        trigger=PropertyIsTrue(key),
        upgrades_existing_table=True,
        removal=Removal(),
    )


def _plugins(size: int, _folder: Path) -> Work:
    def plugin(number: int) -> Plugin:
        feature = _feature(number)

        @hookimpl
        def table_feature() -> TableFeature:
            return feature

        return Plugin(SimpleNamespace(table_feature=table_feature), PluginSource(f"p{number}", f"acme-{number}"))

    plugins = [plugin(number) for number in range(size)]
    schema = json.dumps({"type": "struct", "fields": []})
    metadata = Metadata(schema_string=schema, configuration={f"acme.f{number}": "true" for number in range(size)})

    def work() -> object:
        return resolve_new_table(metadata, build_catalog(plugins))

    return work


def _removable(size: int, _folder: Path) -> Work:
    """A table with `size` features that can be dropped, and a plan that drops one."""
    features = [_feature(number) for number in range(size)]
    catalog = FeatureCatalog((*default_catalog().features, *features))
    schema = json.dumps({"type": "struct", "fields": []})
    metadata = Metadata(schema_string=schema, configuration={f"acme.f{number}": "true" for number in range(size)})
    return lambda: plan(metadata, "-f0", catalog=catalog)


def _impact_tables(size: int, _folder: Path) -> Work:
    change = {"delta.enableDeletionVectors": "true"}
    tables = [
        (resolve_new_table(one, default_catalog()).protocol, one)
        for one in map(_columns, (1 + one % 40 for one in range(size)))
    ]

    def work() -> object:
        pairs = [(TableNeeds.of(*table), needs_after_setting(*table, change)) for table in tables]
        return impact_over(pairs, knowledge=_fresh_knowledge())

    return work


def _fresh_knowledge() -> ClientKnowledge:
    shipped = default_knowledge()
    return ClientKnowledge(shipped.catalogue, shipped.measurements)


def _clients(size: int, _folder: Path) -> Work:
    shipped = default_knowledge()
    base = next(iter(shipped.catalogue))
    metadata = _columns(3)
    protocol = resolve_new_table(metadata, default_catalog()).protocol
    pair = TableNeeds.of(protocol, metadata), needs_after_setting(protocol, metadata, {"delta.appendOnly": "true"})
    catalogue = ClientCatalogue.of(attrs.evolve(base, id=f"acme{number}", delegations=()) for number in range(size))
    return lambda: impact_over([pair], knowledge=ClientKnowledge(catalogue, shipped.measurements))


AXES: Sequence[Axis] = (
    Axis("all files of a table", "files", _all_files, (1_000, 10_000, 100_000)),
    Axis("files that a condition leaves", "filtered files", _filtered, (1_000, 10_000, 100_000)),
    Axis("the protocol", "commits", _protocol, (100, 400, 1_600)),
    Axis("the newest ten of the history", "history", _newest_history, (100, 400, 1_600)),
    Axis("a commit through an open table", "commits below", _append, (101, 404, 1_616)),
    Axis("an audit", "tables", _audit, (40, 160, 640)),
    Axis("the impact of a change on a lake", "impact tables", _impact_tables, (50, 200, 800)),
    Axis("resolving a new table", "columns", _resolve_columns, (100, 1_000, 10_000)),
    Axis("a plan", "plan columns", _plan_columns, (100, 400, 1_600)),
    Axis("one partition's files", "partitions", _partitions, (100, 1_000, 10_000)),
    Axis("admitting and resolving plugins", "plugins", _plugins, (25, 100, 400)),
    Axis("a plan to drop one of many features", "removable", _removable, (4, 16, 64), 2.0),
    Axis("the impact of a change on a table", "clients", _clients, (25, 100, 400)),
)
