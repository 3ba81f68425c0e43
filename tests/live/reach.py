"""Which lines of the rooms that live cases are about they reach, and which of our errors they end in.

    python -m tests.live.reach resolver --seed 1 --cases 2000
    python -m tests.live.reach {conflicts,others,ddl,columns,steered,transitions,suites} --kept FOLDER

Of several kinds, what none of them reached. Cases of a seed are put to this library alone, sequences statement by
statement whatever comes of each; `--kept` takes those that `python -m tests.live --keep` left, with what delta-spark
answered, so that sequences go on behind statements which need an engine. Prints, for each file of the rooms, the
blocks that no case reached, with their first line; and the codes of the errors that were raised.
"""

from __future__ import annotations

import argparse
import ast
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import attrs

import deltaresolver
from deltaresolver.errors import DeltaResolverError
from deltaresolver.testing.conformance.recorded_ddl import Follower
from tests.live.kinds import KINDS, compare
from tests.peers.record_resolver import read_cases

Json = dict[str, Any]

LIBRARY = Path(deltaresolver.__file__).parent
ROOMS = {
    "resolver": ("resolution",),
    "conflicts": ("transaction/conflicts", "transaction/commit", "features/behaviour"),
    "others": ("transaction/conflicts", "transaction/commit", "features/behaviour"),
    "ddl": ("transaction/alter", "transaction/create", "transaction/drop", "transaction/ddl", "transaction/metadata"),
    "columns": ("transaction/alter", "transaction/create", "transaction/ddl", "transaction/metadata"),
    "transitions": ("transaction/alter", "transaction/create", "transaction/drop", "transaction/metadata"),
    "steered": ("transaction/alter", "transaction/create", "transaction/ddl", "transaction/metadata"),
    "suites": ("transaction/alter", "transaction/create", "transaction/drop", "transaction/metadata"),
}
"""The rooms that each kind of case is about."""
_COMMITTED = {"outcome": {"result": "committed", "version": 0, "commit": [], "conflict_checks": 0}}
NOT_ASKED: Mapping[str, Json] = {
    "resolver": {"expect": {"ok": None}},
    "conflicts": _COMMITTED,
    "others": _COMMITTED,
}
"""Stands in for delta-spark's answer, where nobody asked."""


@attrs.frozen
class Reached:
    """Lines by file, and errors by code."""

    lines: dict[str, set[int]] = attrs.Factory(dict)
    codes: Counter[str] = attrs.Factory(Counter)

    def add(self, more: Reached) -> None:
        """Takes in what another run reached."""
        self.codes.update(more.codes)
        for file, lines in more.lines.items():
            self.lines.setdefault(file, set()).update(lines)

    def watch(self, folders: Iterable[Path]) -> Any:
        """What `sys.settrace` takes to note lines of files in the folders."""
        wanted = tuple(f"{folder}/" for folder in folders)
        known: dict[CodeType, set[int] | None] = {}

        def of(code: CodeType) -> set[int] | None:
            if code not in known:
                inside = code.co_filename.startswith(wanted)
                known[code] = self.lines.setdefault(code.co_filename, set()) if inside else None
            return known[code]

        def local(frame: FrameType, event: str, _: Any) -> Any:
            if event == "line":
                self.lines[frame.f_code.co_filename].add(frame.f_lineno)
            return local

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            return local if of(frame.f_code) is not None else None

        return trace


def main() -> int:
    """Run cases, and print what they never reached."""
    logging.getLogger("deltaresolver").setLevel(logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=tuple(ROOMS), nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--kept", type=Path)
    given = parser.parse_args()
    folders = [LIBRARY / room for room in dict.fromkeys(room for kind in given.kind for room in ROOMS[kind])]
    reached = Reached()
    for kind in given.kind:
        cases = list(_cases(kind, given))
        reached.add(reach(cases, folders, partial(compare, KINDS[kind]) if _is_answered(cases) else follow_all))
    for path in sorted(file for folder in folders for file in folder.rglob("*.py")):
        unreached = list(blocks_without(path, reached.lines.get(str(path), set())))
        if unreached:
            print(path.relative_to(LIBRARY.parent))
            for line in unreached:
                print(f"  {line}")
    print("errors:", ", ".join(f"{code} {count}" for code, count in sorted(reached.codes.items())))
    return 0


def reach(cases: list[Json], folders: Iterable[Path], put: Callable[[list[Json]], object]) -> Reached:
    """Put cases to this library, and note what they reach."""
    found = Reached()
    made = DeltaResolverError.__init__

    def counted(self: DeltaResolverError, *arguments: Any, **named: Any) -> None:
        made(self, *arguments, **named)
        found.codes[self.code] += 1

    DeltaResolverError.__init__ = counted  # type: ignore[method-assign]
    sys.settrace(found.watch(folders))
    try:
        put(cases)
    finally:
        sys.settrace(None)
        DeltaResolverError.__init__ = made  # type: ignore[method-assign]
    return found


def blocks_without(path: Path, reached: set[int]) -> Iterator[str]:
    """The statements of functions that begin a block and were not reached though what is around them was."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef):
            continue
        if not any(first.lineno in reached for first in node.body if not _is_text(first)):
            yield f"{node.lineno}: {lines[node.lineno - 1].strip()}"
            continue
        for inner in ast.walk(node):
            for body in (getattr(inner, name, None) for name in ("body", "orelse", "finalbody")):
                if inner is not node and isinstance(body, list) and body and body[0].lineno not in reached:
                    yield f"{body[0].lineno}: {lines[body[0].lineno - 1].strip()}"


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def follow_all(cases: list[Json]) -> None:
    """Carry out the statements of sequences; one that is refused is passed over."""
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            follower = Follower(Path(folder), case.get("conf", {}))
            for step in case["steps"]:
                with suppress(DeltaResolverError):
                    follower.follow(step["sql"])


def _is_answered(cases: list[Json]) -> bool:
    return not any("steps" in case and "outcome" not in case["steps"][0] for case in cases)


def _cases(kind: str, given: argparse.Namespace) -> Iterator[Json]:
    if given.kept is not None:
        for path in sorted(given.kept.glob(f"{kind}-*.jsonl")):
            yield from read_cases(path)
        return
    for case in KINDS[kind].cases(given.seed, given.cases):
        yield case if "steps" in case else {**case, **NOT_ASKED[kind]}


if __name__ == "__main__":
    sys.exit(main())
