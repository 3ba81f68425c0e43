"""An audit of a lake in an object store: the same findings as of its copy on disk, and its table of rows there too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from deltalake import DeltaTable

from benchmarks.lake_generator import KINDS, generate_lake
from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.log.storage.locations import open_store
from deltaresolver.model.audit_table import TableAudit
from tests.peers.s3_server import S3Server, run_s3_server
from tests.unit.cli.running import run

pytestmark = pytest.mark.s3

TABLES = len(KINDS) + 6


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with run_s3_server() as server:
        server.make_bucket("lake")
        server.make_bucket("reports")
        yield server


@pytest.fixture(scope="module")
def options(server: S3Server) -> tuple[str, ...]:
    return tuple(part for pair in server.options.items() for part in ("--storage", "=".join(pair)))


@pytest.fixture(scope="module")
def local(server: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lake on disk, copied to the bucket as it is."""
    folder = tmp_path_factory.mktemp("lake")
    list(generate_lake(folder, TABLES, broken_every=9))
    store = open_store("s3://lake/gold", server.options)
    for file in folder.rglob("*"):
        if file.is_file():
            store.put(file.relative_to(folder).as_posix(), file.read_bytes())
    return folder


def told(tables: Iterator[TableAudit], root: str) -> list[tuple[object, ...]]:
    """What the audit says about each table, without places and times of files."""
    return [
        (
            table.location.removeprefix(root).strip("/"),
            table.table_version,
            table.protocol,
            table.lowest_protocol,
            [one.name for one in table.features],
            [(one.feature, one.since_version) for one in table.timeline],
            table.error and table.error.code,
            re.sub(r" --storage [^ ']*", "", repr(table.blocked).replace(root, "")),
            {one.rule for one in table.findings} - {"old-checkpoint"},
        )
        for table in tables
    ]


def test_a_root_in_a_bucket_is_audited_as_one_on_disk(local: Path, options: tuple[str, ...], tmp_path: Path) -> None:
    client = ("--client", "trino@468")
    far = run("audit", "s3://lake/gold", *options, *client, "--json", str(tmp_path / "far.json"))
    near = run("audit", str(local), *client, "--json", str(tmp_path / "near.json"))
    assert (far.code, near.code) == (0, 0), far.err
    found = told(StoredAudit(tmp_path / "far.json").tables(), "s3://lake/gold")
    expected = told(StoredAudit(tmp_path / "near.json").tables(), str(local))
    assert len(found) == TABLES
    assert found == expected


def test_rows_go_to_a_table_in_a_bucket(
    local: Path, server: S3Server, options: tuple[str, ...], tmp_path: Path
) -> None:
    some = sorted(log.parent.relative_to(local).as_posix() for log in local.rglob("_delta_log"))[:3]
    (tmp_path / "some.txt").write_text("".join(f"s3://lake/gold/{name}\n" for name in some))
    for _ in range(2):
        outcome = run("audit", "--list", str(tmp_path / "some.txt"), *options, "--table", "s3://reports/audits")
        assert outcome.code == 0, outcome.err
    storage = {**server.options, "AWS_S3_ALLOW_UNSAFE_RENAME": "true"}
    read = DeltaTable("s3://reports/audits", storage_options=storage)
    assert (read.version(), read.to_pyarrow_table().num_rows) == (1, 2 * len(some))


def test_a_bucket_that_does_not_exist_is_reported(options: tuple[str, ...], tmp_path: Path) -> None:
    outcome = run("audit", "s3://nowhere/gold", *options, "--json", str(tmp_path / "audit.json"))
    assert outcome.code == 2
    assert "s3://nowhere/gold" in outcome.err
    head = msgspec.json.decode((tmp_path / "audit.json").read_bytes())["head"]
    assert head["roots"][0]["error"]
