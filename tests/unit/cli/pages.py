"""Pages of the documentation, run as a reader would: each block in order, in one empty folder.

`sh` blocks go to bash, `python` blocks to one namespace. A `text` block after an `sh` block is what that prints; a line
of three dots in it stands for any lines. With RENEW_SNAPSHOTS=1 such a block is written anew, unless it holds dots.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from tests.unit.cli.shell import run_script

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOTS = "..."
_PROGRESS = re.compile(r"^(.+) \.\.\.\n(?:\1: \d+\.\d s\n)?", re.MULTILINE)
"""What a command says it is doing after a second, and how long that took: on a busy machine every command may."""
NOT_RUN = ("pip install ", "uvx ", "uv add ", "script/", "git clone ", "curl ")
"""Commands that need a network, or that other tests run."""


@attrs.frozen
class Block:
    """One block of code, and where it stands in the page."""

    language: str
    text: str
    start: int
    end: int


def blocks_of(page: str) -> list[Block]:
    """The blocks of code, in order."""
    return [Block(one[1], one[2], one.start(2), one.end(2)) for one in _BLOCK.finditer(page)]


def run_page(file: Path, folder: Path) -> None:
    """Run every block of the page, and compare what it prints with what the page shows."""
    path, modules = list(sys.path), set(sys.modules)
    try:
        _run_blocks(file, folder)
    finally:
        sys.path[:] = path
        for place in [place for place in sys.path_importer_cache if not Path(place).is_absolute()]:
            del sys.path_importer_cache[place]  # it stands for a folder of this page
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(f"{folder}/"):
                del sys.modules[name]


def _run_blocks(file: Path, folder: Path) -> None:
    page = file.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "page"}
    printed: str | None = None
    renewed: list[tuple[Block, str]] = []
    for block in blocks_of(page):
        if block.language == "sh":
            printed = _run_shell(block.text, folder)
        elif block.language == "python":
            with contextlib.chdir(folder):
                exec(compile(block.text, f"{file.name}:{page.count(chr(10), 0, block.start)}", "exec"), namespace)
            printed = None
        elif block.language == "text" and printed is not None:
            if os.environ.get("RENEW_SNAPSHOTS") == "1" and DOTS not in block.text.splitlines():
                renewed.append((block, printed))
            else:
                assert _matches(printed, block.text), f"{file.name} shows\n{block.text}\nand it prints\n{printed}"
            printed = None
    for block, text in reversed(renewed):
        page = page[: block.start] + text + page[block.end :]
    if renewed:
        file.write_text(page, encoding="utf-8")


def _run_shell(text: str, folder: Path) -> str | None:
    """What it prints; None for commands that are not run here."""
    lines = [line for line in text.splitlines() if not line.startswith(NOT_RUN)]
    if not any(lines):
        return None
    done = run_script("\n".join(lines), folder)
    assert done.returncode in (0, 1) or "error DR" in done.stderr, done.stderr
    assert "DR999" not in done.stderr
    return (done.stdout + _PROGRESS.sub("", done.stderr)).replace(f"{folder}/", "").replace(str(folder), ".")


def _matches(printed: str, shown: str) -> bool:
    parts = re.split(rf"^{re.escape(DOTS)}\n", shown, flags=re.MULTILINE)
    pattern = "(?:.*\n)*".join(map(re.escape, parts))
    return re.fullmatch(pattern, printed) is not None


def links_of(page: str) -> Iterator[str]:
    """The targets of links and pictures that are not on the web."""
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(_BLOCK, "", page)):
        if "://" not in target:
            yield target
