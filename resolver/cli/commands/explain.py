"""`deltaresolver explain`: every reason behind a table's protocol, or the page of an error code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deltaresolver.cli.completion import complete_folders
from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.error_pages_lookup import ErrorPage, code_of, is_error_code, page_of, page_of_plugin
from deltaresolver.cli.inputs.lake_input import located
from deltaresolver.cli.inputs.sources import STDIN, Request, answer_for, request_options
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_markdown, print_sections, print_wrapped
from deltaresolver.errors import CommandUsageError
from deltaresolver.model.facts.keys import MAPPING_MODE, ROW_TRACKING
from deltaresolver.resolution.explain.phrases import still_kept
from deltaresolver.resolution.explain.visible_text import visible, visible_command
from deltaresolver.resolution.resolution import FORMATS, Resolution

EXAMPLES = f"""\b
Examples:
  deltaresolver explain /lake/events
  deltaresolver explain /lake/events --set {MAPPING_MODE}=name --format markdown
  echo '{{"configuration": {{"{ROW_TRACKING}": "true"}}}}' | deltaresolver explain
  deltaresolver explain DR204
"""


@click.command("explain", epilog=EXAMPLES)
@click.argument("source", metavar="[TABLE_PATH | - | DRnnn]", required=False, shell_complete=complete_folders)
@request_options
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="The output format."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(source: str | None, form: str, as_json: bool, **options: Any) -> int:
    """Why a table needs its protocol: a reason for each feature and each version, and how to undo it.

    Works on a table, or on metadata as JSON from stdin: a metaData object, bare or as an action, or a whole
    commit file. With an error code, such as DR204, it shows what that error means.
    """
    page = None if source is None or Path(source).exists() else _page(source)
    if page is not None:
        _print_page(page, as_json=as_json or form == "json")
        return 0
    source = None if source is None else located(source)
    answer = answer_for(source, Request(**options))
    if as_json or form == "json":
        print_answer("explain", answer.resolution.to_json())
        return 0
    text = answer.resolution.explain(form, table=answer.table)
    if form != "text":
        print(visible(text.rstrip("\n")))
    else:
        print_sections(text)
        if source not in (None, STDIN) and not _asks_for_change(options):
            _print_way_down(str(source), answer.resolution, options)
        print_notes(answer.notes)
    return 0


def _asks_for_change(options: dict[str, Any]) -> bool:
    return any(options[name] for name in ("to_set", "to_unset", "new", "protocol"))


def _print_way_down(path: str, resolution: Resolution, options: dict[str, Any]) -> None:
    """The plan that leads to the lowest protocol within reach, found on this very table."""
    if not still_kept(resolution)[0]:
        return
    # Only here: listing a table's files and judging clients takes longer than all of the explanation.
    from deltaresolver.cli.inputs.property_changes import read_pairs
    from deltaresolver.clients.shipped import default_knowledge
    from deltaresolver.planning.advice import Adviser, way_down
    from deltaresolver.planning.table_reading import state_of_table
    from deltaresolver.table import Table

    storage = read_pairs(options["storage"], "--storage")
    table = Table(path, storage)
    adviser = Adviser(default_knowledge(), storage=storage)
    found = adviser.down(state_of_table(table))
    lines = ["THE WAY DOWN"]
    if found is None:
        lines.append("  No plan was found that leads lower and takes nothing from the newest release of a client.")
    else:
        lines += [f"  {way_down(found)}.", "  No client's newest release loses anything. This shows each step:"]
    print()
    for number, line in enumerate(lines):
        print_wrapped(line, "  ", bold="" if number else line)
    if found is not None:
        print(f"    {visible_command(adviser.asking(found))}")  # never wrapped, so that it can be copied


def _page(source: str) -> ErrorPage | None:
    """The page of an error, of this library or of a plugin; None for anything else. Raises `CommandUsageError`."""
    if is_error_code(source):
        return page_of(source)
    page = page_of_plugin(source)
    if page is not None or not (source.isidentifier() or source.isdecimal()):
        return page
    # Only here: a table is what is asked about most.
    from deltaresolver.defaults import default_catalog

    code = code_of(source)
    if code is None and default_catalog().find(source) is not None:
        raise CommandUsageError(
            f"{source} is a table feature, and there is no table of that name here.",
            fix=f"Run `deltaresolver features {source}`, or give the folder of a table.",
            details={"feature": source},
        )
    return None if code is None else page_of(code)


def _print_page(page: ErrorPage, *, as_json: bool) -> None:
    if as_json:
        print_answer("explain", {"code": page.code, "error": page.error, "page": page.text})
    else:
        print_markdown(page.text)
