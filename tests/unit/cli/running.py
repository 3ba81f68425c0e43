"""Run the command line as users do: as a process of its own."""

from __future__ import annotations

import atexit
import base64
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs

COMMAND = (sys.executable, "-m", "deltaresolver.cli")


@attrs.frozen(slots=True)
class Outcome:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """Stdout as JSON."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """Stderr as JSON."""
        value = json.loads(self.err)
        assert isinstance(value, dict)
        return value


@cache
def _server() -> subprocess.Popen[str]:
    server = Path(__file__).with_name("fork_server.py")
    return subprocess.Popen([sys.executable, server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@atexit.register
def _stop_server() -> None:
    if _server.cache_info().currsize:
        with _server() as server:
            assert server.stdin is not None
            server.stdin.close()


def run(
    *arguments: str,
    stdin: bytes | str = b"",
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
    only_env: bool = False,
    megabytes: int | None = None,
    seconds: int = 120,
    packages: Path | None = None,
    columns: int | None = None,
    file_bytes: int | None = None,
    user: int | None = None,
    out: str | None = None,
) -> Outcome:
    """Run `deltaresolver` in a process of its own, forked from one that has loaded it.

    With `only_env` it has no other environment. It has so much address space, and is ended by a signal after so long.
    `packages` is a folder with installed packages. With `columns` both of its streams are one terminal of that width,
    and what is seen there is `out`. No file that it writes may be longer than `file_bytes`, as on a full disk, and it
    may only what this `user` may. What it prints goes to the file `out` if given.
    """
    request = {
        "arguments": arguments,
        "stdin": base64.b64encode(stdin.encode() if isinstance(stdin, str) else stdin).decode(),
        "env": {"COLUMNS": "80", **(env or {})},
        "folder": str(folder or Path.cwd()),
        "only_env": only_env,
        "megabytes": megabytes,
        "seconds": seconds,
        "packages": None if packages is None else str(packages),
        "columns": columns,
        "file_bytes": file_bytes,
        "user": user,
        "out": out,
    }
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    answer = json.loads(server.stdout.readline())
    out, err = (base64.b64decode(answer[name]).decode() for name in ("out", "err"))
    return Outcome(answer["code"], out, err)


def run_afresh(*arguments: str, stdin: bytes | str = b"", env: Mapping[str, str] | None = None) -> Outcome:
    """Run `deltaresolver` in a process that starts from nothing."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**os.environ, "COLUMNS": "80", **(env or {})},
        timeout=120,
        check=False,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def metadata(schema: object = None, **properties: str) -> str:
    """A metaData object as JSON; the names of properties lack `delta.`, and `__` stands for a dot."""
    value: dict[str, Any] = {
        "configuration": {f"delta.{key.replace('__', '.')}": text for key, text in properties.items()}
    }
    if schema is not None:
        value["schemaString"] = schema if isinstance(schema, str) else json.dumps(schema)
    return json.dumps(value)


def column(name: str, data_type: object = "long") -> dict[str, object]:
    """A nullable column."""
    return {"name": name, "type": data_type, "nullable": True, "metadata": {}}


def struct(*fields: dict[str, object]) -> dict[str, object]:
    """A schema."""
    return {"type": "struct", "fields": list(fields)}


def nested(levels: int) -> str:
    """A schema string with one field on each of so many levels, which may be more than Python's encoder takes."""
    before, after = json.dumps(struct(column("level", "TYPE"))).split('"TYPE"')
    leaf = json.dumps(struct(column("leaf", "timestamp_ntz")))
    return before * (levels - 1) + leaf + after * (levels - 1)


def write_table(folder: Path, *commits: list[dict[str, Any]]) -> Path:
    """A Delta table of these commits."""
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    for number, actions in enumerate(commits):
        (log / f"{number:020}.json").write_text("\n".join(map(json.dumps, actions)))
    return folder


def first_commit(**properties: str) -> list[dict[str, Any]]:
    """What a new table of protocol (1, 2) begins with."""
    value = json.loads(metadata(struct(column("id")), **properties))
    value |= {"id": "t", "format": {"provider": "parquet", "options": {}}, "partitionColumns": []}
    return [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": value}]
