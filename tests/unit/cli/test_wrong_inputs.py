"""What people get wrong, and what they read then: a snapshot of each message, so that a change of one is looked at.

Read tests/snapshots/wrong_inputs.txt as a user would: does each message name what was wrong, and does each fix help?
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import nasty
from tests.snapshots.compare import assert_matches_snapshot
from tests.unit.cli.running import COMMAND, Outcome, first_commit, metadata, run, write_table

WRONG: dict[str, str] = {
    # Paths that lead to something else
    "a path that is not there": "resolve nowhere",
    "a path whose parent is not there": "resolve a/b/c",
    "a misspelt folder": "explain lake/ordres",
    "a misspelt folder in other case": "explain lake/ORDERS",
    "an empty folder": "resolve empty",
    "a folder of Parquet files": "resolve parquet",
    "partitioned Parquet files": "resolve partitioned",
    "an Iceberg table": "resolve iceberg",
    "a Hudi table": "resolve hudi",
    "a folder of tables": "resolve lake",
    "a folder above a folder of tables": "plan . --client trino",
    "a log without commits": "history emptied",
    "a folder whose only log is empty": "plan cleared --client trino",
    "a folder of tables to alter": "alter lake --set delta.appendOnly=true",
    "a folder of tables for a statement": "sql lake 'ALTER TABLE t ADD COLUMN x INT'",
    "a feature to drop from Parquet files": "drop-feature parquet deletionVectors",
    "what a missing table may become": "impact lake/ordres --set delta.appendOnly=true",
    "files of other kinds": "resolve other",
    "the log folder itself": "resolve lake/orders/_delta_log",
    "a partition folder": "resolve lake/orders/day=1",
    "a data file": "resolve parquet/part-0.parquet",
    "a commit file": "resolve lake/orders/_delta_log/00000000000000000000.json",
    "a file of SQL": "resolve statements.sql",
    "a file of SQL by another name": "explain statements.txt",
    "another file": "resolve notes.txt",
    "a name in a catalog": "resolve main.sales.orders",
    "a name in a schema": "explain sales.orders",
    "an empty path": "resolve ''",
    "a path of spaces": "resolve '  '",
    "an unknown scheme": "resolve s4://bucket/table",
    "a web address": "resolve https://example.com/table",
    "a bucket without a name": "resolve s3:///table",
    "a missing slash": "resolve s3:bucket/table",
    "a scheme for another host": "resolve file://host/table",
    "a path of Databricks": "explain dbfs:/mnt/lake/orders",
    "an older scheme of Azure": "explain wasbs://lake@account.blob.core.windows.net/orders",
    "a drive of Windows": r"explain 'C:\lake\orders'",
    "a drive of Windows with slashes": "explain C:/lake/orders",
    "backslashes": r"explain 'lake\orders'",
    # Codes, commands, options
    "a folder and no command": "lake/orders",
    "here and no command": ".",
    "help as other tools have it": "help explain",
    "help about nothing": "help nothing",
    "the version as other tools have it": "version",
    "what only Spark can do": "optimize lake/orders",
    "a word of another tool": "scan lake",
    "a word that nobody has": "frobnicate lake",
    "a word too many": "restore lake/orders 7",
    "a table that is not named": "history",
    "nothing to restore": "restore lake/orders",
    "two answers to restore": "restore lake/orders --version 0 --timestamp 2026-01-01",
    "nothing to alter": "alter lake/orders",
    "a misspelt command": "explian lake/orders",
    "a command of another tool": "describe lake/orders",
    "an unknown error code": "explain DR99999",
    "a table feature instead of a table": "explain rowTracking",
    "a table feature in another case": "explain rowtracking",
    "a value that lacks": "audit lake --html",
    "a value for an option that takes none": "explain lake/orders --help=1",
    "a colon for an equals sign": "impact lake/orders --set delta.enableRowTracking:true",
    "a release as tags have it": "plan lake/orders --client trino@v413",
    "a release as pip has it": "plan lake/orders --client trino==413",
    "a release with a blank": "plan lake/orders --client 'Trino 413'",
    "a version to restore that is still to come": "restore lake/orders --version 99",
    "a day in words": "restore lake/orders --timestamp yesterday",
    "days for hours": "vacuum lake/orders --retain 7d",
    "half a protocol": "plan lake/orders --protocol 3",
    "a table of another format": "sql lake/new 'CREATE TABLE new (id BIGINT) USING parquet'",
    "a column twice": "sql lake/new 'CREATE TABLE new (id BIGINT, ID INT) USING delta'",
    "no columns": "sql lake/new 'CREATE TABLE new () USING delta'",
    "an option before the command": "--josn features",
    "a severity of another tool": "audit lake --fail-on critical",
    "a port beyond all": "ui lake --port 99999",
    "half an error code": "explain DR40",
    "an unknown option": "resolve lake/orders --stet a=b",
    "a choice that does not exist": "explain lake/orders --format yml",
    "a colour that does not exist": "features --color sometimes",
    "a number that is none": "history lake/orders --limit many",
    "a limit of nothing": "history lake/orders --limit 0",
    "no statement": "sql lake/orders",
    "nothing to plan for": "plan lake/orders",
    "two views at once": "features --graph --compat",
    # Names
    "a misspelt profile": "features --profile databrick",
    "a misspelt feature": "features rowTraking",
    "a misspelt feature to add": "alter lake/orders --add-feature deletionVector",
    "a feature to drop that is not there": "drop-feature lake/orders deletionVectors",
    "a misspelt client": "impact lake/orders --set a=b --client trno@468",
    "a client that nobody knows": "clients nope",
    "a path that a client does not have": "clients trino@468 --path pyarow",
    "a version that is none": "clients trino@newest",
    "an act that is none": "impact lake/orders --set a=b --require trino@468:delete",
    "a misspelt rule": "audit lake --fail-on eror",
    # Values
    "a property without a value": "alter lake/orders --set delta.appendOnly",
    "a property with two values": "resolve lake/orders --set delta.appendOnly=true --set delta.appendOnly=false",
    "a misspelt property": "alter lake/orders --set delta.enableRowTrackin=true",
    "a misspelt feature to drop": "drop-feature lake/orders deletionVectorz",
    "a switch that is neither on nor off": "alter lake/orders --set delta.appendOnly=yes",
    "a protocol in words": "resolve lake/orders --protocol newest",
    "a protocol that cannot be": "resolve - --protocol 3,6",
    "a feature name with a space": "new-feature 'row signing'",
    "a feature that there is": "new-feature rowTracking",
    # Statements
    "a misspelt clause": "sql lake/orders 'ALTER TABLE t ADD COLUMUN x INT'",
    "a misspelt statement": "sql lake/orders 'ALTR TABLE t ADD COLUMN x INT'",
    "a query": "sql lake/orders 'SELECT * FROM t'",
    "half a statement": "sql lake/orders 'ALTER TABLE t ADD COLUMN'",
    "a type of another database": "sql lake/orders 'ALTER TABLE t ADD COLUMN x TEXT'",
    "what takes rows": "sql lake/orders 'OPTIMIZE orders'",
    "a release without its sign": "impact lake/orders --set a=b --client trino413",
    "a family of clients": "clients databricks",
    "an unknown type": "sql lake/orders 'ALTER TABLE t ADD COLUMN x INTT'",
    "a column that is not there": "sql lake/orders 'ALTER TABLE t DROP COLUMN idd'",
    "a table that is there": "sql lake/orders 'CREATE TABLE t (id INT) USING delta'",
    # Files that are not what they should be
    "nothing to audit": "audit",
    "a root that is not there": "audit nowhere",
    "a list that is not there": "audit --list tables.txt",
    "an earlier audit that is none": "audit lake --since notes.txt",
    "a report in a folder that is not there": "audit lake --html nowhere/report.html",
    "clients from a file that is not there": "clients --clients-file clients.toml",
    "clients from a file that is no TOML": "clients --clients-file statements.sql",
    "a metastore by a wrong address": "audit hive:http://localhost:9083",
    "an unknown storage option": "resolve s3://bucket/table --storage allow_htp=true",
    "a folder that is not empty": "new-feature rowSigning --directory other",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that is mistaken for a table."""
    folder = tmp_path_factory.mktemp("wrong")
    orders = write_table(folder / "lake" / "orders", first_commit())
    write_table(folder / "lake" / "more" / "orders_2", first_commit())
    (orders / "day=1").mkdir()
    files = {
        "parquet/part-0.parquet": "",
        "partitioned/day=1/part-0.parquet": "",
        "iceberg/metadata/v1.metadata.json": "{}",
        "hudi/.hoodie/hoodie.properties": "",
        "emptied/_delta_log/_last_checkpoint": "{}",
        "cleared/orders/_delta_log/_last_checkpoint": "{}",
        "other/readme.md": "",
        "other/data.csv": "",
        "statements.sql": "ALTER TABLE orders ADD COLUMN note STRING",
        "statements.txt": "\n  CREATE TABLE orders (id INT)",
        "notes.txt": "about the lake",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "empty").mkdir()
    return folder


def told(arguments: list[str], place: Path) -> Outcome:
    outcome = run(*arguments, stdin=metadata(), folder=place)
    return Outcome(outcome.code, outcome.out, outcome.err.replace(f"{place}/", "").replace(str(place), "."))


def test_many_wrong_inputs_are_tried() -> None:
    assert len(WRONG) >= 60


def test_each_wrong_input_is_reported_with_a_code_and_a_fix(place: Path) -> None:
    unhelpful: list[tuple[str, Outcome]] = []

    def shown() -> Iterator[str]:
        for title, line in WRONG.items():
            outcome = told(shlex.split(line), place)
            if outcome.code != 2 or not re.match(r"(?!error DR999)error DR\d{3}: .*\n  fix: .", outcome.err):
                unhelpful.append((title, outcome))
            yield f"# {title}\n$ deltaresolver {line}\n{outcome.err}"

    text = "\n".join(shown())
    assert unhelpful == []
    assert_matches_snapshot("wrong_inputs.txt", text)


FOLDER_NAMES = sorted(
    name
    for name in {*nasty.COLUMN_NAMES, *nasty.STRINGS}
    if name.strip() and "/" not in name and len(name.encode()) <= 200 and name not in {".", ".."}
)


@pytest.mark.parametrize("name", FOLDER_NAMES)
def test_a_folder_of_any_name_is_searched(name: str, tmp_path: Path) -> None:
    """As a missing folder, an empty one and a folder of tables."""
    folder = tmp_path / name
    outcome = run("resolve", "--json", str(folder))
    assert (outcome.code, outcome.error["code"]) == (2, "DR410")
    folder.mkdir()
    assert run("resolve", "--json", str(folder)).error["details"].get("found") == "empty folder"
    write_table(folder / "below", first_commit())
    error = run("resolve", "--json", str(folder)).error
    assert error["details"]["found"] == "folder of tables"


# --- what the operating system refuses ------------------------------------------------------------


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("arguments", ["features --json", "clients", "explain DR410", "--help", "--version"])
def test_a_full_disk_is_reported(arguments: str) -> None:
    outcome = run(*arguments.split(), out="/dev/full")
    assert outcome.code == 2
    assert "DR111" in outcome.err
    assert "No space left on device" in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_reported_once_by_a_process_that_ends_by_itself() -> None:
    """Python writes what is left when it ends, and prints an error of its own if it cannot."""
    shell = f"{shlex.join(COMMAND)} features > /dev/full"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("No space left on device") == 1
    assert "DR111" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_in_place_of_a_list_of_tables_is_reported(place: Path) -> None:
    outcome = told(["audit", "--list", "empty"], place)
    assert (outcome.code, "DR999" in outcome.err) == (2, False)


@pytest.mark.parametrize(
    ("package", "arguments", "extra"),
    [
        ("pyspark", "audit lake --spark", "spark"),
        ("yaml", "check models.yml", "dbt"),
        ("yaml", "check .", "dbt"),
        ("starlette", "ui lake/orders", "ui"),
        ("uvicorn", "ui lake/orders", "ui"),
    ],
)
def test_a_package_that_is_missing_names_its_extra(place: Path, package: str, arguments: str, extra: str) -> None:
    (place / "models.yml").write_text("models: [{name: t, tblproperties: {a: b}}]", encoding="utf-8")
    hidden = (
        "import sys, importlib.util as u; p = sys.argv[1]; sys.modules[p] = None; f = u.find_spec;"
        "u.find_spec = lambda name, package=None: None if name == p else f(name, package);"
        "from deltaresolver.cli.main import main; main(sys.argv[2:])"
    )
    command = [sys.executable, "-c", hidden, package, *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place)
    assert done.returncode == 2
    assert "error DR113" in done.stderr
    assert f'pip install "deltaresolver[{extra}]"' in done.stderr


def test_a_spark_that_does_not_start_is_reported(place: Path) -> None:
    command = [*COMMAND, "audit", str(place / "lake"), "--spark"]
    env = {**os.environ, "JAVA_HOME": str(place / "nowhere")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 2
    assert "error DR806: Spark could not be started" in done.stderr


def test_a_folder_without_permission_is_reported(tmp_path: Path) -> None:
    """As root the test gives its rights away first."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    shut = tmp_path / "shut"
    (shut / "table").mkdir(parents=True)
    shut.chmod(0o000)
    for each in [tmp_path, *tmp_path.parents]:
        if each.stat().st_uid == os.geteuid() and each.is_relative_to(tempfile.gettempdir()):
            each.chmod(each.stat().st_mode | 0o055)
    user = 65534 if os.geteuid() == 0 else None
    for arguments, code in (
        (["new-feature", "rowSigning", "--directory", str(closed / "package")], "DR111"),
        (["new-feature", "rowSigning", "--directory", str(shut / "package")], "DR111"),
        (["resolve", str(shut / "table")], "DR"),
    ):
        outcome = run(*arguments, user=user, folder=Path("/"))
        assert outcome.code == 2, outcome.err
        assert f"error {code}" in outcome.err
        assert "DR999" not in outcome.err
        assert "permission" in outcome.err.lower()
    shut.chmod(0o700)


def test_json_errors_carry_what_was_found(place: Path) -> None:
    error = json.loads(told(["resolve", "--json", "iceberg"], place).err)
    assert error["details"]["found"] == "Iceberg table"
