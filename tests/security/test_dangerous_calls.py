"""What deletes, links, starts, imports, unpickles or asks an engine in SQL does so in a few places, with reasons."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CALLS: dict[str, dict[str, str]] = {
    "unlink": {
        "resolver/log/storage/local_delete.py": "the store's deletion, which follows no link",
        "resolver/log/storage/local_publish.py": "a staging file of its own",
        "resolver/transaction/vacuum/delete.py": "VACUUM, which looks at each file once more",
        "resolver/audit/scan/work_folder.py": "files of its own in an audit's work folder",
        "resolver/audit/document/output_place.py": "an unfinished report of its own",
        "resolver/clients/probe/trial.py": "the copy of a table that a probe made",
    },
    "rmdir": {"resolver/transaction/vacuum/delete.py": "an empty folder, by its open parent"},
    "rmtree": {
        "resolver/audit/from_python.py": "the temporary folder that this call made for its document",
        "resolver/audit/scan/work_folder.py": "an audit's work folder",
        "resolver/cli/demo/lake.py": "the demonstration's own lake",
        "resolver/clients/probe/trial.py": "the copy of a table that a probe made",
        "resolver/spark/names/connect_catalog.py": "DROP TABLE of a managed table, at the place its catalog has",
        "resolver/testing/conformance/taken_up.py": "a table that following recorded answers made",
        "resolver/spark/writing/data_folder.py": "the folder that this write made, by a name drawn at random",
    },
    "os.remove": {},
    "os.link": {"resolver/log/storage/local_publish.py": "a file without a name gets one"},
    "os.symlink": {},
    "symlink_to": {},
    "hardlink_to": {},
    "os.rename": {},
    "os.replace": {"resolver/log/storage/local_publish.py": "a staging file takes its place"},
    "os.system": {},
    "os.popen": {},
    "os.fork": {
        "resolver/audit/bounded/bounded_work.py": "the process that watches, before any table is read",
        "resolver/audit/bounded/watcher.py": "the process that reads tables, from one that reads none",
    },
    "subprocess.run": {"resolver/clients/probe/environment.py": "installs the client that a probe is asked to measure"},
    "subprocess.Popen": {
        "resolver/audit/bounded/bounded_work.py": "this Python, which watches those that read tables",
        "resolver/clients/probe/child.py": "runs that client",
    },
    "subprocess.check_output": {},
    "eval": {},
    "exec": {},
    "compile": {},
    "__import__": {},
    "pickle.loads": {
        "resolver/audit/bounded/bounded_work.py": "settings from the process that started this one",
        "resolver/testing/checks.py": "bytes that the line before made",
    },
    "marshal.loads": {},
    "yaml.load": {},
    "spark.sql": {"resolver/spark/catalog_tables.py": "names of a catalog, quoted"},
    "functions.expr": {
        "resolver/spark/changes/conditions.py": "the caller's own condition",
        "resolver/spark/changes/merge/source.py": "what the caller's condition compares with columns of the table",
        "resolver/spark/changes/partition_answers.py": "the caller's own condition, and parts of it written again",
        "resolver/spark/sql/insert_rows.py": "values that stand in the caller's PARTITION clause",
        "resolver/spark/writing/checked_columns.py": "expressions of tables, whose type says that they passed the gate",
        "resolver/spark/writing/row_count.py": "a count, spelt here",
    },
    "f.expr": {
        "resolver/spark/maintenance/z_order.py": "bounds of columns, quoted",
        "resolver/spark/reading/file_facts.py": "arithmetic of row numbers, spelt here",
        "resolver/spark/reading/marked_rows.py": "the same",
        "resolver/spark/reading/shown_rows.py": "what an installed plugin shows rows by",
    },
    "expr": {
        "resolver/clients/probe/inside/with_spark.py": "names of columns, quoted, in the process of a probe",
    },
    "selectExpr": {
        "resolver/spark/demo_lake.py": "the demonstration's own rows",
        "resolver/spark/reading/file_facts.py": "facts about files as literals, under names spelt here",
        "resolver/testing/conformance/tables_data.py": "names of columns, quoted",
    },
    "extractall": {"resolver/clients/probe/measure.py": "the archive of this package"},
    "os.open": {
        "resolver/audit/scan/local_pass.py": "folders and plain files of a log, without waiting for pipes",
        "resolver/audit/scan/work_lock.py": "the lock of an audit's work folder",
        "resolver/check/run.py": "a file to check, without waiting for a pipe",
        "resolver/cli/main.py": "where output goes that nobody reads",
        "resolver/log/storage/local_delete.py": "the folders on the way to what is deleted, never through a link",
        "resolver/log/storage/local_publish.py": "a file without a name, or a staging file",
        "resolver/log/storage/local_read.py": "plain files of at most 2 GiB, without waiting for pipes",
        "resolver/log/storage/local_store.py": "a folder, to list it",
    },
    "import_module": {
        "plugins/manager.py": "modules that installed entry points name",
        "plugins/offered.py": "those of our own package",
        "resolver/cli/main.py": "one of a fixed list",
        "resolver/clients/probe/inside/run.py": "the client that a probe measures, in a process of its own",
        "resolver/lazy_names.py": "one of a fixed list",
    },
}
"""By the end of the called name: the files that may call it, and what they do it to."""


def calls_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def names(called: str, name: str) -> bool:
    return called == name or (called.endswith(f".{name}") and name not in ("eval", "exec", "compile", "expr"))


@pytest.fixture(scope="module")
def calls() -> dict[str, set[str]]:
    root = Path(__file__).parents[2]
    files = [file for room in ("resolver", "features", "plugins") for file in (root / room).rglob("*.py")]
    return {
        file.relative_to(root).as_posix(): set(calls_in(ast.parse(file.read_text(encoding="utf-8")))) for file in files
    }


@pytest.mark.parametrize("name", CALLS)
def test_dangerous_calls_are_only_in_the_places_listed(name: str, calls: dict[str, set[str]]) -> None:
    found = {file for file, called in calls.items() if any(names(one, name) for one in called)}
    assert found == set(CALLS[name])


def test_a_call_that_is_put_in_would_be_seen() -> None:
    made = ast.parse("import os\nos.unlink(add.path)\nself.spark.sql(text)\n(folder / name).unlink()")
    seen = set(calls_in(made))
    assert [any(names(one, name) for one in seen) for name in ("unlink", "spark.sql", "rmtree")] == [True, True, False]
