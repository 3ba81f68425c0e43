"""Names and values that no JSON, terminal or page can hold, in every place of a table: every answer is still one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltaresolver.cli.commands.ui import _open, _paste
from deltaresolver.ui.app import ServedTables
from tests.logs import PROTOCOL, Json, add, domain, info, metadata, txn
from tests.security.budget import run
from tests.security.tables import commit
from tests.security.test_ui_attacks import COOKIE, HOST, JSON, raw
from tests.unit.ui.served_page import serving

pytestmark = pytest.mark.slow

NAMES = {
    "half a character": "a\ud800b",
    "the other half": "\udfff",
    "nothing": "\x00",
    "a terminal's": "\x1b[2J",
    "a line of JavaScript": "\u2028</script>",
    "quotes": "'\"`\\",
    "a formula": "=cmd|'/c calc'!A0",
    "a command": "::error::x",
    "100,000 letters": "a" * 100_000,
}
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("explain",),
    ("resolve",),
    ("history",),
    ("impact", "--add-feature", "deletionVectors"),
    ("plan", "--drop-feature", "appendOnly"),
    ("alter", "--set", "delta.appendOnly=true", "--dry-run"),
    ("sql", "ALTER TABLE t ADD COLUMNS (zz INT)", "--dry-run"),
    ("drop-feature", "appendOnly", "--dry-run"),
    ("vacuum", "--dry-run"),
    ("verify",),
)
STATEMENTS = (
    (),
    ("ALTER TABLE t ADD COLUMNS (zz INT)",),
    ("ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly'='true')",),
)


def schema_of(name: str) -> str:
    column = {"name": name, "type": "long", "nullable": True, "metadata": {"comment": name}}
    inner = {"type": "struct", "fields": [{**column, "type": "timestamp_ntz"}]}
    other = {"name": "s", "type": inner, "nullable": True, "metadata": {}}
    return json.dumps({"type": "struct", "fields": [column, other]})


def everywhere(name: str) -> list[list[Json]]:
    """The name in each place that has one."""
    properties = {"delta.appendOnly": name, name: name, f"delta.constraints.{name}": f"{name} > 0"}
    table = metadata(properties, schema_of(name), table_id=name)
    table["metaData"] |= {"name": name, "description": name, "partitionColumns": [name]}
    said = {"operation": name, "engineInfo": name, "userMetadata": name, "operationParameters": {name: name}}
    file = add(f"p/{name}", partitionValues={name: name}, stats=json.dumps({"numRecords": 1}), tags={name: name})
    return [[PROTOCOL, table], [info(**said, userName=name), file, txn(name, 1), domain(name, name)]]


def where_it_may_be(name: str) -> list[list[Json]]:
    """The name where a sound table may have it, and commits that say odd things of themselves."""
    deep = json.loads("[" * 300 + "]" * 300)
    odd: list[Json] = [{"commitInfo": {"operation": {name: name}, "timestamp": name}}, {name: {name: name}}]
    first = [PROTOCOL, metadata({name: name}, schema_of(name))]
    return [first, [info(operationParameters={name: deep}, engineInfo=[name]), add(name), txn(name, 1)], odd]


def in_the_protocol(name: str) -> list[list[Json]]:
    """The name as a feature's, and as a kind of deletion vector."""
    lists = {"readerFeatures": [name], "writerFeatures": [name, "appendOnly"]}
    vector = {"storageType": name, "pathOrInlineDv": name, "sizeInBytes": 1, "cardinality": 1}
    protocol = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **lists}}
    return [[protocol, metadata()], [add("x", deletionVector=vector)]]


KINDS = (everywhere, where_it_may_be, in_the_protocol)


def written(folder: Path, commits: list[list[Json]]) -> Path:
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    for version, actions in enumerate(commits):
        commit(log, version, *actions)
    return folder


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_every_command_answers_about_odd_names(name: str, kind: object, tmp_path: Path) -> None:
    assert callable(kind)
    table = written(tmp_path / "t", kind(NAMES[name]))
    for command, *options in COMMANDS:
        ended = run(command, table, *options, "--json")
        assert json.loads(ended.out if ended.code < 2 else ended.err), command
        assert "\x1b" not in ended.out + ended.err
    ended = run("audit", table, "--workers", "1", "--json", tmp_path / "audit.json")
    assert ended.code in {0, 1}
    assert json.loads((tmp_path / "audit.json").read_bytes())


def test_the_page_answers_about_odd_names(tmp_path: Path) -> None:
    paths = [
        str(written(tmp_path / f"t{number}-{kind.__name__}", kind(name)))
        for number, name in enumerate(NAMES.values())
        for kind in KINDS
    ]
    with serving(ServedTables(tuple(paths), lambda one: _open({}, one), _paste)) as door:
        for path in paths:
            questions = [{"path": path, "statements": statements, "clients": ()} for statements in STATEMENTS]
            lines = Path(path, "_delta_log", f"{0:020d}.json").read_text(encoding="utf-8").splitlines()
            for api in ("open", "answer", "back"):
                for question in (*questions, {"metadata": lines[1]}, {"metadata": "\n".join(lines)}):
                    body = json.dumps(question).encode()
                    status, answer = raw(door, f"POST /api/{api}", HOST, COOKIE, JSON, body=body)
                    assert status in {200, 400, 422}, (path, api, question, answer[-300:])
                    assert b"DR999" not in answer
