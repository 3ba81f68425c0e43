"""Run shell scripts that call `deltaresolver`, each call in a process forked from one that has loaded it.

A script finds a command in its PATH, which hands arguments, folder, environment and input to this process through a
named pipe, and hands back what `running.run` answers. So a call costs milliseconds, not the start of Python.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from tests.unit.cli.running import run

_COMMAND = """#!/usr/bin/env bash
call="{place}/call.$$"
mkdir "$call"
mkfifo "$call/code"
cat >"$call/in"
env -0 >"$call/env"
printf '%s\\0' "$call" "$PWD" "$@" >"{place}/asked"
read -r code <"$call/code"
cat "$call/out"
cat "$call/err" >&2
exit "$code"
"""
_PYTHON = """#!/usr/bin/env bash
if [ "$1 $2" = "-m deltaresolver" ]; then shift 2; exec "{place}/bin/deltaresolver" "$@"; fi
exec "{python}" "$@"
"""


def run_script(script: str, folder: Path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """What bash makes of a script; in it `deltaresolver` and `python3 -m deltaresolver` are this library's command."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "bin").mkdir()
        for command, text in {"deltaresolver": _COMMAND, "python3": _PYTHON}.items():
            file = place / "bin" / command
            file.write_text(text.format(place=place, python=sys.executable), encoding="utf-8")
            file.chmod(0o755)
        os.mkfifo(place / "asked")
        server = threading.Thread(target=_serve, args=(place / "asked",))
        server.start()
        try:
            return subprocess.run(
                ["bash", "-c", script],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, **(env or {}), "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"},
            )
        finally:
            (place / "asked").write_bytes(b"")
            server.join()


def _serve(asked: Path) -> None:
    """Answer calls until an empty one."""
    while request := asked.read_bytes():
        place, folder, *arguments = request.decode().removesuffix("\0").split("\0")
        call = Path(place)
        env = dict(pair.split("=", 1) for pair in (call / "env").read_text(encoding="utf-8").split("\0") if pair)
        try:
            done = run(*arguments, stdin=(call / "in").read_bytes(), env=env, folder=Path(folder))
            (call / "out").write_text(done.out, encoding="utf-8", newline="")
            (call / "err").write_text(done.err, encoding="utf-8", newline="")
            code = done.code
        except Exception as error:  # noqa: BLE001 - the script must not wait forever
            (call / "err").write_text(f"{error!r}\n", encoding="utf-8")
            code = 99
        (call / "code").write_text(f"{code}\n", encoding="utf-8")
