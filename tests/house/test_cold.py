"""What a command loads is what it needs: each has a budget of modules, because people wait for imports at every call.

Modules are counted, and not seconds, so that the answer is the same on a busy machine; `benchmarks/bench_cold.py`
measures the seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

HEAVY = frozenset(
    {"jinja2", "networkx", "numpy", "obstore", "pandas", "pyarrow", "pyarrow.parquet", "pyspark", "rich", "sqlglot"}
)
ARROW = frozenset({"numpy", "pyarrow"})
METADATA_OF_PACKAGES = frozenset({"importlib.metadata", "email.message"})
"""With what these load it is an eighth of all imports; only another package's plugins and `--version` need it."""

SCHEMA = '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}'
PROTOCOL = {
    "minReaderVersion": 3,
    "minWriterVersion": 7,
    "readerFeatures": ["deletionVectors"],
    "writerFeatures": ["appendOnly", "deletionVectors", "invariants"],
}
METADATA = {
    "id": "d81be930-bb25-49fa-88a8-d2122a4bc37d",
    "format": {"provider": "parquet", "options": {}},
    "schemaString": SCHEMA,
    "partitionColumns": [],
    "configuration": {"delta.enableDeletionVectors": "true"},
    "createdTime": 1,
}
ADD = {"path": "a.parquet", "partitionValues": {}, "size": 9, "modificationTime": 1, "dataChange": True}

PROBE = """
import contextlib, io, json, sys
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
    {work}
print(json.dumps({{"code": code, "modules": sorted(sys.modules), "errors": errors.getvalue()}}))
"""
LIBRARY = "import deltaresolver as dr; code = 0; table = dr.Table({path!r}); {call}"
COMMAND = "from deltaresolver.cli.main import run; code = run({arguments!r})"


@attrs.frozen
class Loaded:
    """What a fresh process ended with."""

    code: int
    modules: frozenset[str]

    @property
    def heavy(self) -> frozenset[str]:
        return self.modules & HEAVY

    @property
    def own(self) -> int:
        return sum(name.partition(".")[0] == "deltaresolver" for name in self.modules)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small table with a file."""
    folder = tmp_path_factory.mktemp("small")
    log = folder / "_delta_log"
    log.mkdir()
    first = [{"commitInfo": {"operation": "CREATE TABLE"}}, {"protocol": PROTOCOL}, {"metaData": METADATA}]
    for version, actions in enumerate([first, [{"commitInfo": {"operation": "WRITE"}}, {"add": ADD}]]):
        text = "".join(json.dumps(action) + "\n" for action in actions)
        (log / f"{version:020}.json").write_text(text, encoding="utf-8")
    return str(folder)


def loaded_by(work: str) -> Loaded:
    done = subprocess.run([sys.executable, "-c", PROBE.format(work=work)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["code"] in {0, 1}, answer["errors"]
    return Loaded(answer["code"], frozenset(answer["modules"]))


@pytest.mark.parametrize(
    ("call", "allowed", "most"),
    [
        ("table", frozenset(), 63),
        ("table.protocol", frozenset(), 63),
        ("table.metadata.schema", frozenset(), 63),
        ("list(table.snapshot().add_actions())", frozenset(), 65),
        ("table.history()", frozenset(), 66),
        ("table.snapshot().files()", ARROW, 87),
        ("table.resolve()", frozenset(), 181),
    ],
)
def test_a_call_loads_what_it_needs(path: str, call: str, allowed: frozenset[str], most: int) -> None:
    loaded = loaded_by(LIBRARY.format(path=path, call=call))
    assert loaded.heavy <= allowed
    assert loaded.own <= most
    assert allowed >= ARROW or loaded.modules.isdisjoint(METADATA_OF_PACKAGES)


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        (["--help"], 31),
        (["--version"], 31),
        (["explain", "DR204"], 114),
        # The table lists a feature that can go, so the way down is searched, which takes what is known of clients.
        (["explain", "PATH"], 257),
        (["resolve", "PATH"], 197),
        (["resolve", "PATH", "--set", "delta.enableRowTracking=true"], 208),
        (["history", "PATH"], 201),
        (["impact", "PATH", "--set", "delta.enableRowTracking=true"], 244),
        (["plan", "PATH", "--drop-feature", "deletionVectors"], 251),
        (["plan", "PATH", "--client", "trino@400"], 251),
        (["features"], 166),
        (["features", "rowTracking"], 166),
        (["clients"], 188),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else " ".join(value),
)
def test_a_command_loads_what_it_needs(path: str, arguments: list[str], most: int) -> None:
    given = [path if one == "PATH" else one for one in arguments]
    loaded = loaded_by(COMMAND.format(arguments=given))
    assert loaded.heavy == frozenset()
    assert loaded.own <= most
    assert arguments == ["--version"] or loaded.modules.isdisjoint(METADATA_OF_PACKAGES)


WRITTEN = """
import contextlib, io, sys
from deltaresolver.cli.main import run
with contextlib.redirect_stdout(io.StringIO()):
    run([{command!r}, {path!r}])
kinds = {{
    value
    for name, module in [*sys.modules.items()] if name.startswith("deltaresolver")
    for value in [*vars(module).values()] if isinstance(value, type) and value.__module__ == name
}}
for kind in kinds:
    for method in ("__eq__", "__hash__", "__repr__"):
        if getattr(getattr(vars(kind).get(method), "__code__", None), "co_filename", "").startswith("<attrs"):
            print(f"{{kind.__name__}}.{{method}}", file=sys.stderr)
"""
HASHED_OFTEN = frozenset({"ClientVersion", "FeatureCatalog", "TableFacts", "TableNeeds"})
"""They keep their hash, which attrs does for them."""


@pytest.mark.parametrize("command", ["explain", "history"])
def test_attrs_writes_few_methods_for_a_short_command(path: str, command: str) -> None:
    """It compiles them, a sixth of such a command's time; `deltaresolver.value` has bases that need none."""
    code = WRITTEN.format(command=command, path=path)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    written = {line.partition(".")[0] for line in done.stderr.split()}
    assert written - HASHED_OFTEN <= {"Cost", "_Reader"}


def test_the_probe_notices_what_is_loaded(path: str) -> None:
    assert loaded_by("import pyarrow; code = 0").heavy == ARROW


def test_a_commit_counts_numbers_only_for_those_who_record_them(tmp_path: Path) -> None:
    work = (
        "import deltaresolver as dr; code = 0; table = dr.Table.create({path!r}, {schema!r}); table.alter({change!r})"
    )
    change = {"delta.appendOnly": "true"}
    loaded = loaded_by(work.format(path=str(tmp_path / "t"), schema="id bigint", change=change))
    assert "deltaresolver.transaction.commit.committed" in loaded.modules
    assert "deltaresolver.transaction.commit.stats" not in loaded.modules


COLLECTIONS = """
import gc, sys
from deltaresolver.cli.main import main
try:
    main([{command!r}, {path!r}])
except SystemExit as end:
    print(sum(each["collections"] for each in gc.get_stats()), gc.get_freeze_count(), end.code, file=sys.stderr)
"""


@pytest.mark.parametrize("command", ["explain", "resolve", "history"])
def test_a_short_command_looks_for_no_garbage(path: str, command: str) -> None:
    """A quarter of its time, before: 77 collections, and one of everything at the end."""
    code = COLLECTIONS.format(command=command, path=path)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    collections, frozen, ended_with = map(int, done.stderr.split())
    assert ended_with == 0
    # Python's own start and the imports of `main` come before.
    assert collections <= 45
    assert frozen > 10_000
