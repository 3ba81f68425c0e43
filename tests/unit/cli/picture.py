"""The picture at the top of README: a real run, drawn as SVG by rich.

After a change that is meant to be seen, run the test with RENEW_SNAPSHOTS=1.
"""

from __future__ import annotations

import html
import io
import os
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tests.unit.cli.on_terminal import on_terminal
from tests.unit.cli.running import first_commit, write_table

COLUMNS = 96
SHOWN = (
    "deltaresolver impact shop/orders --set delta.enableDeletionVectors=true --client trino@413 --client trino@468 "
    "--client presto"
)


def _recorded(folder: Path) -> str:
    write_table(folder / "shop" / "orders", first_commit())
    return on_terminal(*SHOWN.split()[1:], columns=COLUMNS, folder=folder)


def draw(folder: Path) -> str:
    """The picture, from a run in this folder. It needs no font and no other file from the network."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text("$ ", style="bold green") + Text(SHOWN, style="bold"))
    console.print(Text.from_ansi(_recorded(folder)))
    picture = console.export_svg(title="deltaresolver", theme=MONOKAI, unique_id="terminal")
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)


def words_of(picture: str) -> list[str]:
    """What is written in it; how it is drawn may differ between releases of rich."""
    return html.unescape(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture))).split()


def assert_picture_is_current(file: Path, folder: Path) -> None:
    """The picture in the file is of what is printed today."""
    drawn = draw(folder)
    if os.environ.get("RENEW_SNAPSHOTS") == "1":
        file.write_text(drawn, encoding="utf-8")
    assert words_of(file.read_text(encoding="utf-8")) == words_of(drawn)
