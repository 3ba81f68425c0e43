"""What mkdocs does with the pages of this repository: pages outside docs/ join, and links are as they are in a clone.

A link that a reader of the repository can follow works in the site too. One to a file that is no page becomes that
file's name, since a site has no source beside it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

OUTSIDE = ("SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md", "tests/README.md")
"""Pages that lie elsewhere in the repository, by the path they keep."""
ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_ALL_PAGES = re.compile(r"^\[All pages\]\(\S+\)\n\n", re.MULTILINE)
"""For readers of a clone; the site has its nav."""
_PRINTED = re.compile(r"^(```+|~~~+)text$")
_WIDEST = 100
"""No table that a command prints to a file is wider: what is wider is sentences, which may wrap, and so are errors."""
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_TITLE = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<td\b")
_STACKED = 4
"""So many columns do not fit a phone side by side and are still few enough to read one below the other."""
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_LIST_AFTER_TEXT = re.compile(r"^(?![-*+] |\d+\. |\s|\||#|$)(.+)\n(?=(?:[-*+]|\d+\.) )", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Every page of a folder gets its place in the nav."""
    named = frozenset(_named(config.nav))
    config.nav = [_with_pages(entry, named) for entry in config.nav]
    return config


def _named(entry: Any) -> Iterator[str]:
    """The pages that an entry of the nav names."""
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from _named(each)


def _with_pages(entry: Any, named: frozenset[str]) -> Any:
    """An entry of the nav; `FOLDER/*` in it becomes the pages of the folder that have no other place."""
    if isinstance(entry, dict):
        return {title: _with_pages(below, named) for title, below in entry.items()}
    if isinstance(entry, list):
        found = [_pages_of(each, named) if _is_folder(each) else [_with_pages(each, named)] for each in entry]
        return [one for several in found for one in several]
    return entry


def _is_folder(entry: Any) -> bool:
    return isinstance(entry, str) and entry.endswith("/*")


def _pages_of(entry: str, named: frozenset[str]) -> list[str]:
    folder = entry.removesuffix("/*")
    names = sorted((file.name for file in (ROOT / "docs" / folder).glob("*.md")), key=str.lower)
    return [page for name in names if (page := f"{folder}/{name}") not in named and name != "README.md"]


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from outside docs/ and the list of all errors."""
    for name in OUTSIDE:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    errors = sorted((ROOT / "docs" / "errors").glob("*.md"))
    files.append(File.generated(config, "errors/index.md", content=_index_of_errors(errors)))
    return files


def _index_of_errors(pages: list[Path]) -> str:
    """Every code with its class and, below it, its first sentence."""
    lines = [
        "# Errors",
        "",
        "`deltaresolver explain DR204` shows the same pages.",
        "",
        "| code | error |",
        "|---|---|",
    ]
    for page in pages:
        title, _, body = page.read_text(encoding="utf-8").partition("\n")
        code, _, error = title.removeprefix("# ").partition(" ")
        sentence = body.strip().split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
        lines.append(f"| [{code}]({page.name}) | `{error}`<br>{sentence} |")
    return "\n".join(lines) + "\n"


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:  # noqa: ARG001 - mkdocs passes them by name
    """Links as the site needs them, and a blank line before each list, which Markdown in Python asks for."""
    uri = page.file.src_uri
    here = posixpath.dirname(uri if uri in OUTSIDE else f"docs/{uri}")
    parts, last = [], 0
    markdown = _ALL_PAGES.sub("", markdown, count=1)
    for fence in _FENCE.finditer(markdown):
        parts += [_rewritten(markdown[last : fence.start()], here, uri, files), _wrapping(fence[0])]
        last = fence.end()
    return "".join([*parts, _rewritten(markdown[last:], here, uri, files)])


def _wrapping(fence: str) -> str:
    """A fence, with a class of its own for style.css where what was printed is sentences."""
    first, _, rest = fence.partition("\n")
    if not any(len(line) > _WIDEST or line.startswith("error DR") for line in rest.splitlines()):
        return fence
    marked = _PRINTED.sub(r"\1 {.text .sentences}", first)
    return f"{marked}\n{rest}"


def _as_pages(place: str) -> tuple[str, ...]:
    """What a place in the repository may be called in the site."""
    inside = place.removeprefix("docs/")
    return inside, f"{inside}/README.md", f"{inside}/index.md"


def _is_there(name: str, files: Files) -> bool:
    file = files.get_file_from_path(name)
    return file is not None and file.inclusion.is_included()


def _rewritten(text: str, here: str, uri: str, files: Files) -> str:
    def link(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if "://" in target or target.startswith(("#", "mailto:")):
            return found[0]
        path, hash_sign, anchor = target.partition("#")
        place = posixpath.normpath(posixpath.join(here, path))
        goal = next((one for one in _as_pages(place) if _is_there(one, files)), None)
        if goal is None:
            # What is not there at all is left for mkdocs to report.
            return words if (ROOT / place).exists() and not picture else found[0]
        return f"{picture}[{words}]({posixpath.relpath(goal, posixpath.dirname(uri) or '.')}{hash_sign}{anchor})"

    return _LIST_AFTER_TEXT.sub(r"\1\n\n", _LINK.sub(link, text))


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:  # noqa: ARG001 - mkdocs passes them by name
    """Tables of four columns name each cell after its column: style.css puts them below each other on a phone."""
    return _TABLE.sub(lambda found: _labelled(found[0]), html)


def _labelled(table: str) -> str:
    titles = [re.sub(r"<[^>]+>", "", title).strip() for title in _TITLE.findall(table)]
    if len(titles) != _STACKED:
        return table

    def row(found: re.Match[str]) -> str:
        left = iter(titles)
        return _CELL.sub(lambda _: f'<td data-title="{next(left, "")}"', found[0])

    return _ROW.sub(row, table).replace("<table>", '<table data-columns="4">', 1)
