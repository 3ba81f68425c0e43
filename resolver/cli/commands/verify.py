"""`deltaresolver verify`: whether everything that a table consists of is there and whole."""

from __future__ import annotations

import click

from deltaresolver.audit.verify.problem import Verification
from deltaresolver.audit.verify.verify_table import verify_table
from deltaresolver.cli.completion import complete_folders
from deltaresolver.cli.inputs.lake_input import located
from deltaresolver.cli.inputs.property_changes import read_pairs
from deltaresolver.cli.inputs.table_to_change import storage_option
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_fields, print_wrapped

EXAMPLES = """\b
Examples:
  deltaresolver verify /lake/events
  deltaresolver verify /lake/events --pages
  deltaresolver verify /lake/events --json
"""


@click.command("verify", epilog=EXAMPLES)
@click.argument("path", metavar="TABLE_PATH", shell_complete=complete_folders)
@click.option("--pages", is_flag=True, help="Read data files to their last page, not only their footers.")
@storage_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(path: str, pages: bool, storage: tuple[str, ...], as_json: bool) -> int:
    """Whether all that a table consists of is there and whole.

    Reads every commit and checkpoint to its end, looks up every live data file, compares its size and the rows of its
    footer with the log, and reads every deletion vector. Writes nothing. Exits with 1 if something is wrong.
    """
    found = verify_table(located(path), read_pairs(storage, "--storage"), pages=pages)
    if as_json:
        print_answer("verify", found.to_json())
    else:
        _print(found)
    return 0 if found.is_sound else 1


def _print(found: Verification) -> None:
    depth = "every page read" if found.reads_pages else "footers read"
    version = "cannot be read" if found.table_version is None else str(found.table_version)
    vectors = f", {_counted(found.vectors, 'deletion vector')}" if found.vectors else ""
    print_fields(
        (
            ("table", found.location),
            ("version", version),
            ("log", f"{_counted(found.commits, 'commit')}, {_counted(found.checkpoints, 'checkpoint')}"),
            ("data", f"{_counted(found.files, 'file')}, {found.bytes_stated:,} bytes{vectors}; {depth}"),
            ("verdict", "sound" if found.is_sound else _counted(len(found.problems), "problem")),
        )
    )
    for problem in found.problems:
        print()
        print_wrapped(f"{problem.kind.value}  {problem.path}", "")
        print_wrapped(f"{problem.told}.".replace("..", "."), "  ")
        print_wrapped(problem.advice, "  ")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
