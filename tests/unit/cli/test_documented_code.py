"""Code in the documentation that no test runs: commands are ones that the command line takes, names exist.

Most pages are run as a reader would (test_readme.py and the tests it names); what is left names tables and sessions
that only the reader has.
"""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from deltaresolver.cli.main import _without_general_options, command

ROOT = Path(__file__).parents[3]
OF_PYTHON = sorted(
    str(file.relative_to(ROOT))
    for file in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if "```python" in file.read_text(encoding="utf-8")
)
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(deltaresolver [^`\n]+)`")
_SHELL = {"|", "<", ">", ">>", "&&", "||", ";", "2>", "&"}
_LEFT_OUT = re.compile(r"\.\.\.|…|\bCOMMAND\b|^deltaresolver \d| --(since|json|set)$")
"""Signs that a line is not a whole command: an option is only named, or it is what --version prints."""
ALIASES = {"dr": "deltaresolver", "ds": "deltaresolver.spark"}


def written_commands() -> Iterator[tuple[str, str]]:
    """Each page, and each command that it shows in a block or within a sentence."""
    for file in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if file.name == "decisions.md":  # of its day
            continue
        text = file.read_text(encoding="utf-8")
        for block in _FENCED.finditer(text):
            for line in block[2].replace("\\\n", " ").splitlines():
                plain = line.removeprefix("$ ").strip()
                if plain.startswith("deltaresolver ") and block[1] not in {"python", "toml", "yaml", "json"}:
                    yield str(file.relative_to(ROOT)), plain
        for one in _INLINE.finditer(_FENCED.sub("", text)):
            yield str(file.relative_to(ROOT)), one[1]


def refused(line: str) -> str | None:
    """Why the command line would not take this; None if it would."""
    try:
        words = list(_without_general_options(shlex.split(line, comments=True)[1:], []))
    except ValueError:
        return None  # a statement over several lines, which goes on in the next one
    end = next((place for place, word in enumerate(words) if word in _SHELL), len(words))
    words = words[:end]
    try:
        group: click.Command = command
        context: click.Context | None = None
        while isinstance(group, click.Group) and words and not words[0].startswith("-"):
            # With its settings: a command keeps the help option that it is first asked for.
            context = click.Context(group, parent=context, info_name=group.name, **group.context_settings)
            found = group.get_command(context, words[0])
            if found is None:
                return f"there is no command {words[0]}"
            group, words = found, words[1:]
        context = click.Context(group, parent=context, info_name=group.name, **group.context_settings)
        parser = group.make_parser(context)
        parser.parse_args(words)
    except click.UsageError as error:
        return error.format_message()
    return None


def test_every_command_that_is_written_down_is_one_that_is_taken() -> None:
    found = [(page, line) for page, line in written_commands() if not _LEFT_OUT.search(line)]
    assert len(found) > 200
    assert [(page, line, why) for page, line in found if (why := refused(line))] == []


def test_a_command_that_does_not_exist_is_noticed() -> None:
    assert refused("deltaresolver explian /lake") == "there is no command explian"
    assert "--stet" in str(refused("deltaresolver resolve /lake --stet a=b | head"))
    assert refused("deltaresolver resolve /lake --set a=b | head --nothing") is None


def parsed(code: str, page: str) -> ast.Module:
    """The tree of a block, which may begin with what follows a `try`."""
    return ast.parse(f"try:\n    pass\n{code}" if code.startswith("except ") else code, page)


def names_used(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each module of this library, and each name that the code takes from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("deltaresolver"):
            yield from ((str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ALIASES:
            yield ALIASES[node.value.id], node.attr


@pytest.mark.parametrize("page", OF_PYTHON)
def test_the_python_of_a_page_is_python_and_its_names_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in _FENCED.finditer(text):
        if block[1] != "python":
            continue
        for module, name in names_used(parsed(block[2], page)):
            owner = importlib.import_module(module)
            assert hasattr(owner, name) or find_spec(f"{module}.{name}") is not None, f"{page}: {module}.{name}"
