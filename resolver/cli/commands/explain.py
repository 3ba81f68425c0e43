"""`deltaresolver explain`: every reason behind a table's protocol, or the page of an error code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deltaresolver.cli.completion import complete_folders
from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.error_pages_lookup import is_error_code, page_of
from deltaresolver.cli.inputs.sources import Request, answer_for, request_options
from deltaresolver.cli.output import print_json, print_markdown, print_sections
from deltaresolver.resolution.resolution import FORMATS

EXAMPLES = """\b
Examples:
  deltaresolver explain /lake/events
  deltaresolver explain /lake/events --set delta.columnMapping.mode=name --format markdown
  echo '{"configuration": {"delta.enableRowTracking": "true"}}' | deltaresolver explain
  deltaresolver explain DR204
"""


@click.command("explain", epilog=EXAMPLES)
@click.argument("source", metavar="[TABLE_PATH | - | DRnnn]", required=False, shell_complete=complete_folders)
@request_options
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="How to say it.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(source: str | None, form: str, as_json: bool, **options: Any) -> int:
    """Why a table needs its protocol: a reason for each feature and each version, and how to undo it.

    Works on a table, or on metadata as JSON from stdin: a metaData object, bare or as an action, or a whole
    commit file. With an error code, such as DR204, it shows what that error means.
    """
    if source is not None and is_error_code(source) and not Path(source).exists():
        _print_page(source, as_json=as_json or form == "json")
        return 0
    answer = answer_for(source, Request(**options))
    text = answer.resolution.explain("json" if as_json else form, table=answer.table)
    if as_json or form != "text":
        print(text.rstrip("\n"))
    else:
        print_sections(text)
        print_notes(answer.notes)
    return 0


def _print_page(code: str, *, as_json: bool) -> None:
    page = page_of(code)
    if as_json:
        print_json({"code": page.code, "error": page.error, "page": page.text})
    else:
        print_markdown(page.text)
