"""What a check finds in scripts, beside what really happens to the tables."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

import deltaresolver as dr
from deltaresolver.check.baseline import Baseline, read_baseline, write_baseline
from deltaresolver.check.found import CheckResult
from deltaresolver.check.run import CheckRequest, check
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.errors import CheckBaselineError, CheckFileError
from deltaresolver.model.audit_finding import Severity
from deltaresolver.planning.lake.lake import Lake
from deltaresolver.planning.lake.read_lake import read_lake
from deltaresolver.resolution.explain.phrases import pair

TODAY = date(2026, 11, 19)
VECTORS = "ALTER TABLE main.sales.orders SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
REQUIRED = '[tables]\nmain.sales.orders = "orders"\n[[client]]\nname = "trino@413"\n'


def checked(folder: Path, sql: str, lake: str = REQUIRED, **more: object) -> CheckResult:
    (folder / "lake.toml").write_text(lake, encoding="utf-8")
    (folder / "ddl").mkdir(exist_ok=True)
    (folder / "ddl" / "a.sql").write_text(sql, encoding="utf-8")
    request = CheckRequest((str(folder / "ddl"),), read_lake(folder / "lake.toml"), **more)  # type: ignore[arg-type]
    return check(request, default_knowledge(), TODAY)


def rules(result: CheckResult) -> list[str]:
    return [one.rule for one in result.findings]


def refusal_of(table: dr.Table, statement: str) -> str | None:
    """The code with which a table refuses a statement."""
    try:
        table.sql(statement)
    except dr.DeltaResolverError as error:
        return error.code
    return None


@pytest.fixture
def orders(tmp_path: Path) -> dr.Table:
    """A table that the lake.toml names."""
    return dr.Table.create(tmp_path / "orders", "id BIGINT, note STRING")


def test_a_change_that_locks_a_required_client_out_is_an_error_and_touches_nothing(
    tmp_path: Path, orders: dr.Table
) -> None:
    result = checked(tmp_path, VECTORS)
    assert rules(result) == ["client-locked-out", "client-locked-out", "protocol-rise"]
    assert result.fails(Severity.ERROR)
    assert [one.about for one in result.findings[:2]] == [("trino@413", "read"), ("trino@413", "append")]
    assert orders.update().table_version == 0


def test_a_client_that_could_not_use_the_table_before_loses_nothing(tmp_path: Path, orders: dr.Table) -> None:
    orders.alter(set={"delta.enableDeletionVectors": "true"})
    result = checked(tmp_path, "ALTER TABLE main.sales.orders SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    assert rules(result) == ["protocol-rise"]


def test_silent_damage_comes_under_its_own_rule(tmp_path: Path, orders: dr.Table) -> None:
    lake = REQUIRED.replace("trino@413", "daft")
    wanted = "ALTER TABLE main.sales.orders SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    assert "silently-wrong" in rules(checked(tmp_path, f"{VECTORS};{wanted}", lake))
    assert orders.update().table_version == 0


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        "ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true')",
        "ALTER TABLE t SET TBLPROPERTIES ('delta.feature.timestampNtz' = 'supported')",
        "ALTER TABLE t SET TBLPROPERTIES ('delta.minWriterVersion' = '5')",
        "ALTER TABLE t UNSET TBLPROPERTIES ('delta.appendOnly')",
        "ALTER TABLE t ADD COLUMNS (a STRUCT<b: INT> COMMENT 'x', c TIMESTAMP)",
        "ALTER TABLE t ADD CONSTRAINT positive CHECK (id > 0)",
        "ALTER TABLE t ALTER COLUMN note SET DEFAULT 'x'",
        "ALTER TABLE t CLUSTER BY (id)",
        "ALTER TABLE t RENAME COLUMN note TO other",
        "ALTER TABLE t DROP COLUMN note",
        "ALTER TABLE t ALTER COLUMN id TYPE DECIMAL(30)",
        "ALTER TABLE t DROP FEATURE deletionVectors",
        "COMMENT ON TABLE t IS 'x'",
        "REPLACE TABLE t (id BIGINT, v VARIANT) USING delta",
        "CREATE OR REPLACE TABLE t (id TIMESTAMP_NTZ) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV2'='true')",
    ],
)
@pytest.mark.parametrize("kind", ["plain", "mapped", "widening"])
def test_what_is_announced_is_what_happens(tmp_path: Path, statement: str, kind: str) -> None:
    properties = {
        "plain": {},
        "mapped": {"delta.columnMapping.mode": "name", "delta.enableDeletionVectors": "true"},
        "widening": {"delta.enableTypeWidening": "true", "delta.feature.allowColumnDefaults": "supported"},
    }[kind]
    table = dr.Table.create(tmp_path / "orders", "id BIGINT, note STRING", properties=properties)
    result = checked(tmp_path, statement, '[tables]\nt = "orders"\n')
    before, refusal = table.protocol, refusal_of(table, statement)
    if refusal is None:
        told = next((one.after for one in result.changes), pair(before))
        assert told == pair(table.update().protocol)
    else:
        assert any(refusal in one.message for one in result.findings)
        assert result.changes == ()


def test_statements_meet_the_table_that_those_before_them_leave(tmp_path: Path) -> None:
    sql = """CREATE TABLE x (id BIGINT, note STRING) USING delta;
    ALTER TABLE x SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
    ALTER TABLE x RENAME COLUMN note TO words;
    ALTER TABLE x DROP COLUMN words;
    ALTER TABLE x DROP COLUMN note"""
    result = checked(tmp_path, sql, "")
    refused = [one for one in result.findings if one.rule == "statement-refused"]
    assert [one.place.line for one in refused] == [5]


@pytest.mark.parametrize("name", ["sales.orders", "orders", "ORDERS", "spark_catalog.main.sales.orders"])
def test_a_name_may_leave_out_its_catalog_and_schema(tmp_path: Path, orders: dr.Table, name: str) -> None:
    assert "table-unknown" not in rules(checked(tmp_path, VECTORS.replace("main.sales.orders", name)))
    assert orders.update().table_version == 0


def test_a_table_by_its_path_or_location_is_the_same(tmp_path: Path, orders: dr.Table) -> None:
    by_path = VECTORS.replace("main.sales.orders", f"delta.`{tmp_path / 'orders'}`")
    assert rules(checked(tmp_path, by_path)) == ["client-locked-out", "client-locked-out", "protocol-rise"]
    assert orders.update().table_version == 0


def test_an_unknown_table_is_judged_as_one_that_uses_nothing(tmp_path: Path) -> None:
    found = rules(checked(tmp_path, VECTORS.replace("main.sales.orders", "elsewhere")))
    assert found == ["table-unknown", "client-locked-out", "client-locked-out", "protocol-rise"]
    # What a table that is not known would refuse nobody can say.
    assert rules(checked(tmp_path, "ALTER TABLE elsewhere DROP COLUMN x")) == ["table-unknown"]


def test_a_table_that_cannot_be_read_is_reported_and_judged(tmp_path: Path) -> None:
    found = rules(checked(tmp_path, VECTORS))
    assert found[0] == "table-unreadable"
    assert "client-locked-out" in found


def test_without_required_clients_one_warning_names_those_that_would_lose(tmp_path: Path, orders: dr.Table) -> None:
    result = checked(tmp_path, VECTORS, '[tables]\nmain.sales.orders = "orders"\n')
    assert rules(result) == ["other-clients", "protocol-rise"]
    assert not result.fails(Severity.ERROR)
    assert orders.update().table_version == 0


@pytest.mark.parametrize(
    ("changes", "sql", "rule"),
    [
        ('protocol = "refuse"', VECTORS, "protocol-rise"),
        ('features = ["rowTracking"]', VECTORS, "feature-not-allowed"),
        ('refuse = ["properties"]', VECTORS, "statement-not-allowed"),
        ('refuse = ["create-table"]', "CREATE TABLE x (id INT) USING delta", "statement-not-allowed"),
        ('refuse = ["drop-feature"]', "ALTER TABLE orders DROP FEATURE deletionVectors", "statement-not-allowed"),
    ],
)
def test_what_is_not_allowed_is_an_error(tmp_path: Path, orders: dr.Table, changes: str, sql: str, rule: str) -> None:
    lake = f'[tables]\nmain.sales.orders = "orders"\n[changes]\n{changes}\n'
    assert (rule, Severity.ERROR) in [(one.rule, one.severity) for one in checked(tmp_path, sql, lake).findings]
    assert orders.update().table_version == 0


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE t ADD COLUM a INT",
        "CREATE TABLE t (a INTEGR) USING delta",
        "ALTER TABLE t SET TBLPROPERTIES (a = )",
        "CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'maybe')",
    ],
)
def test_what_cannot_be_read_is_an_error(tmp_path: Path, sql: str) -> None:
    assert rules(checked(tmp_path, sql, "")) == ["statement-unreadable"]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (a INT) USING parquet",
        "ALTER TABLE t ADD PARTITION (a = 1)",
        "CREATE TABLE t USING iceberg AS SELECT 1",
        "CREATE TABLE t LIKE u",
        "SELECT 1",
    ],
)
def test_what_is_not_delta_is_passed_over(tmp_path: Path, sql: str) -> None:
    assert checked(tmp_path, sql, REQUIRED).findings == ()


def test_a_table_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    result = checked(tmp_path, "CREATE TABLE t (a INT, a INT) USING delta", "")
    assert [(one.rule, one.severity) for one in result.findings] == [("statement-refused", Severity.ERROR)]


def test_a_table_made_by_a_query_is_judged_by_its_properties(tmp_path: Path) -> None:
    sql = "CREATE TABLE x USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true') AS SELECT 1 AS a"
    assert rules(checked(tmp_path, sql)) == ["client-locked-out", "client-locked-out"]


def test_session_defaults_hold_for_new_tables(tmp_path: Path) -> None:
    sql = "CREATE TABLE x (id INT) USING delta"
    defaults = "[session]\nspark.databricks.delta.properties.defaults.enableDeletionVectors = true\n"
    assert rules(checked(tmp_path, sql)) == []
    assert rules(checked(tmp_path, sql, REQUIRED + defaults)) == ["client-locked-out", "client-locked-out"]


def test_a_baseline_waives_old_findings_wherever_they_move(tmp_path: Path, orders: dr.Table) -> None:
    write_baseline(str(tmp_path / "b.json"), checked(tmp_path, VECTORS).findings)
    baseline = read_baseline(str(tmp_path / "b.json"))
    moved = checked(tmp_path, f"-- a line\n\n{VECTORS.replace(' SET', chr(10) + '  SET')};", baseline=baseline)
    assert (moved.findings, len(moved.borne)) == ((), 3)
    other = checked(tmp_path, VECTORS.replace("DeletionVectors", "RowTracking"), baseline=baseline)
    assert other.fails(Severity.ERROR)
    assert orders.update().table_version == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 2, "findings": []}', '{"format": 1, "findings": [1]}'])
def test_a_file_that_is_not_a_baseline_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "b.json").write_text(text, encoding="utf-8")
    with pytest.raises(CheckBaselineError):
        read_baseline(str(tmp_path / "b.json"))
    with pytest.raises(CheckBaselineError):
        read_baseline(str(tmp_path / "nowhere.json"))
    assert Baseline().fingerprints == frozenset()


def test_a_waiver_holds_until_it_ends(tmp_path: Path, orders: dr.Table) -> None:
    waiver = '[[ignore]]\nrule = "client-locked-out"\nreason = "moves"\nexpires = 2026-11-{}\n'
    held = checked(tmp_path, VECTORS, REQUIRED + waiver.format("19"))
    assert (rules(held), [one.reason for one in held.borne]) == (["protocol-rise"], ["moves", "moves"])
    assert checked(tmp_path, VECTORS, REQUIRED + waiver.format("18")).fails(Severity.ERROR)
    assert orders.update().table_version == 0


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_a_file_that_cannot_be_read_ends_the_check(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "x.sql").write_bytes(content)
    with pytest.raises(CheckFileError):
        check(CheckRequest((str(tmp_path / "x.sql"),), Lake("")), default_knowledge(), TODAY)


REPLACE = "CREATE OR REPLACE TABLE main.sales.orders (id BIGINT) USING delta"
DELETION_VECTORS = "SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"


@pytest.mark.parametrize(
    "sql",
    [
        f"ALTER TABLE IDENTIFIER('main.sales.orders') {DELETION_VECTORS}",
        f'alter table identifier ( "main.sales.orders" ) {DELETION_VECTORS}',
        f"ALTER TABLE IF EXISTS main.sales.orders {DELETION_VECTORS}",
        f"BEGIN\n  ALTER TABLE main.sales.orders {DELETION_VECTORS};\nEND",
        f"again: BEGIN NOT ATOMIC DECLARE x INT; IF x > 1 THEN ALTER TABLE orders {DELETION_VECTORS}; END IF; END",
        "SET spark.databricks.delta.properties.defaults.enableDeletionVectors = true;" + REPLACE,
    ],
)
def test_a_change_is_judged_however_it_is_wrapped(tmp_path: Path, orders: dr.Table, sql: str) -> None:
    assert rules(checked(tmp_path, sql)) == ["client-locked-out", "client-locked-out", "protocol-rise"]
    assert orders.update().table_version == 0


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE OR REPLACE TABLE main.sales.orders SHALLOW CLONE main.sales.other",
        "CREATE TABLE fresh CLONE main.sales.orders",
        "CREATE TABLE fresh LIKE main.sales.orders",
        "CREATE TABLE `main`.`sales`.`orders` LIKE other",
        "CREATE TABLE fresh LIKE other USING delta",
        "EXECUTE IMMEDIATE 'ALTER TABLE main.sales.orders DROP COLUMN id'",
        "EXECUTE IMMEDIATE text USING 1",
        f"ALTER TABLE IDENTIFIER(:name) {DELETION_VECTORS}",
    ],
)
def test_what_is_not_judged_is_reported(tmp_path: Path, orders: dr.Table, sql: str) -> None:
    result = checked(tmp_path, sql)
    assert rules(result) == ["statement-not-judged"]
    assert result.fails(Severity.WARNING)
    assert not result.fails(Severity.ERROR)
    assert orders.update().table_version == 0


def test_a_setting_of_a_script_ends_with_it(tmp_path: Path, orders: dr.Table) -> None:
    setting = "SET spark.databricks.delta.properties.defaults.enableDeletionVectors"
    (tmp_path / "ddl").mkdir()
    (tmp_path / "ddl" / "0.sql").write_text(f"{setting} = true", encoding="utf-8")
    assert rules(checked(tmp_path, REPLACE)) == []
    assert rules(checked(tmp_path, f"{setting}=true; RE{setting}; {REPLACE}")) == []
    assert orders.update().table_version == 0


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (a STRING COMMENT 'x LIKE y CLONE z') USING parquet",
        "CREATE TABLE t USING parquet LIKE u",
        "CREATE TABLE t (clone_of STRING COMMENT 'a CLONE of LIKE') USING delta",
        "CREATE TABLE t USING delta AS SELECT * FROM u WHERE a LIKE 'b'",
        "SELECT 'EXECUTE IMMEDIATE'",
    ],
)
def test_words_that_only_look_like_delta_are_not_findings(tmp_path: Path, sql: str) -> None:
    assert "statement-not-judged" not in rules(checked(tmp_path, sql))
