"""The sample packages use every method that a behaviour can have, and what those of the ledger state takes place."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import attrs
import pytest

from deltaresolver.defaults import default_catalog
from deltaresolver.errors import PropertyInvalidError, TransactionError
from deltaresolver.model import capabilities
from deltaresolver.model.actions import AddFile, DomainMetadata
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations

SAMPLES = [Path(__file__).parents[2] / name for name in ("sample_plugin", "sample_lineage")]
KEPT = {"ledger.keep": "true"}


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    import importlib

    monkeypatch.syspath_prepend(str(SAMPLES[1]))
    yield importlib.import_module("deltaresolver_lineage.ledger")
    for name in [each for each in sys.modules if each.startswith("deltaresolver_lineage")]:
        del sys.modules[name]


@pytest.fixture
def table(ledger: ModuleType, tmp_path: Path) -> Table:
    catalog = FeatureCatalog((*default_catalog(), ledger.table_feature()))
    return Table.create(str(tmp_path / "t"), "id BIGINT, page INT, b TINYINT", catalog=catalog)


def append(table: Table, name: str, **more: object) -> int:
    return table.start_transaction().commit((added(name, **more),), operations.write())


def added(name: str, **more: object) -> AddFile:
    return AddFile(name, {}, 1, 1, data_change=True, **more)  # type: ignore[arg-type]


def operations_of(table: Table) -> list[str | None]:
    return [entry.operation for entry in reversed(table.history())]


def test_every_method_is_used_by_a_sample() -> None:
    defined = {
        node.name
        for folder in SAMPLES
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    methods = {
        name
        for kind in vars(capabilities).values()
        if isinstance(kind, type)
        for name, value in vars(kind).items()
        if getattr(value, "__isabstractmethod__", False)
    }
    assert len(methods) > 20
    assert methods - defined == set()


def test_a_table_with_commits_gets_its_book_first(table: Table) -> None:
    append(table, "a")
    table.alter(KEPT)
    assert operations_of(table)[2:] == ["UPGRADE PROTOCOL", "OPEN LEDGER", "SET TBLPROPERTIES"]
    assert "lineage.ledger" in table.update().domains
    with pytest.raises(PropertyInvalidError, match="cannot be set"):
        table.alter({"delta.feature.lineageLedger": "supported"})


def test_turning_the_page_does_not_conflict_with_other_writers(table: Table) -> None:
    table.alter(KEPT)
    slow = table.start_transaction()
    table.alter({"ledger.page": "2"})
    slow.commit((added("a"),), operations.write())
    assert table.update().metadata.configuration["ledger.page"] == "2"


def test_a_remark_on_a_column_does_not_conflict_with_other_writers(table: Table) -> None:
    table.alter(KEPT)
    slow = table.start_transaction()
    table.sql("ALTER TABLE t ALTER COLUMN id COMMENT 'of the entry'")
    slow.commit((added("a"),), operations.write())
    assert table.update().metadata.schema.fields[0].metadata == {"comment": "of the entry"}


def test_a_closed_ledger_takes_no_rows_and_stays_as_it_is(table: Table) -> None:
    table.alter(KEPT)
    table.alter({"ledger.closed": "true"})
    assert operations_of(table)[-1] == "CLOSE LEDGER"
    with pytest.raises(TransactionError, match=r"ledger\.closed"):
        append(table, "a")
    with pytest.raises(PropertyInvalidError, match="closed"):
        table.sql("ALTER TABLE t CLUSTER BY (id)")
    table.clone(table.log.store.location + "-2")
    clone = Table(table.log.store.location + "-2", catalog=table.catalog)
    assert "ledger.closed" not in clone.metadata.configuration
    assert clone.metadata.configuration["ledger.keep"] == "true"


def test_a_byte_column_may_grow_to_a_short(table: Table) -> None:
    table.alter(KEPT)
    table.sql("ALTER TABLE t ALTER COLUMN b TYPE SMALLINT")
    (field,) = [one for one in table.update().metadata.schema.fields if one.name == "b"]
    assert (field.type, (field.metadata or {})["ledger.was"]) == ("short", "byte")


def test_pages_are_never_turned_back(table: Table) -> None:
    table.alter({**KEPT, "ledger.page": "1"})
    version = table.update().table_version
    table.alter({"ledger.page": "2"})
    table.restore(version)
    assert table.update().metadata.configuration["ledger.page"] == "2"


def test_the_column_of_the_page_need_not_be_given(ledger: ModuleType) -> None:
    behaviour = ledger.table_feature().behaviour
    (found,) = behaviour.column_expressions(Metadata(configuration={"ledger.pageColumn": "page", "ledger.page": "7"}))
    assert (found.column, found.sql) == ("page", "7")
    assert behaviour.column_expressions(Metadata()) == ()


def test_a_file_with_a_page_is_refused_outside_a_ledger(table: Table) -> None:
    with pytest.raises(TransactionError, match="no ledger"):
        append(table, "a", tags={"ledger.page": "1"})


def test_an_append_does_not_conflict_with_turning_the_page(table: Table) -> None:
    table.alter(KEPT)
    turning = table.start_transaction()
    turning.read_whole_table()
    append(table, "a")
    assert turning.commit((added("b"),), Operation("TURN PAGE", {})) == table.update().table_version


def test_the_book_is_removed_with_the_feature(table: Table) -> None:
    table.alter(KEPT)
    table.drop_feature("lineageLedger")
    snapshot = table.update()
    assert "lineageLedger" not in (snapshot.protocol.writer_features or ())
    domain = snapshot.domains.get("lineage.ledger")
    assert domain is None or domain.removed


def test_a_book_that_was_opened_meanwhile_is_removed_too(ledger: ModuleType) -> None:
    book, file = DomainMetadata("lineage.ledger", "{}", removed=False), added("a")
    draft = SimpleNamespace(actions=(file, attrs.evolve(book, removed=True)), with_actions=list)
    remaining = SimpleNamespace(domains=lambda: {"lineage.ledger": book})
    behaviour = ledger.table_feature().behaviour
    assert behaviour.rebase_removal(draft, None, remaining) == [file, attrs.evolve(book, removed=True)]
    assert behaviour.rebase_removal(draft, None, SimpleNamespace(domains=dict)) == [file]
