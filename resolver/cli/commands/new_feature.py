"""`deltaresolver new-feature`: a package for a table feature of your own, ready to install and to test."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from deltaresolver.cli.completion import complete_features, complete_folders
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.skeleton.behaviour_text import CONDITIONS
from deltaresolver.cli.skeleton.files import Skeleton, files_of
from deltaresolver.cli.skeleton.wishes import NOTHING, Wishes, asked_for, is_deltas
from deltaresolver.defaults import built_in_catalog, default_catalog, default_feature_sources
from deltaresolver.errors import CommandUsageError, OutputUnwritableError
from deltaresolver.model.behaviour import ABILITIES
from deltaresolver.resolution.prepared import prepare

EXAMPLES = """\b
Examples:
  deltaresolver new-feature rowSigning
  deltaresolver new-feature rowSigning --property acme.rowSigning --requires rowTracking
  deltaresolver new-feature rowSigning --acts row_conditions --acts check_draft
  deltaresolver new-feature cellMasking --for-readers --directory plugins/masking
"""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*")


@click.command("new-feature", epilog=EXAMPLES)
@click.argument("name")
@click.option("--property", "key", help="The table property that switches it on.  [default: NAME.enabled]")
@click.option(
    "--requires",
    multiple=True,
    metavar="FEATURE",
    help="A feature that must come with it. May be repeated.",
    shell_complete=complete_features,
)
@click.option("--for-readers", is_flag=True, help="Readers must know it too; without this only writers must.")
@click.option(
    "--acts",
    multiple=True,
    type=click.Choice((*ABILITIES, NOTHING)),
    metavar="METHOD",
    help=f"A method for its behaviour, such as check_draft, or {NOTHING}. May be repeated.  [default: {CONDITIONS}]",
)
@click.option(
    "--ask/--no-ask", default=None, help="Ask for what is not given.  [default: in a terminal, if only NAME is]"
)
@click.option(
    "--directory", help="The folder to write.  [default: ./deltaresolver-NAME]", shell_complete=complete_folders
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str, directory: str | None, ask: bool | None, as_json: bool, **options: Any) -> int:
    """Write the package of a table feature: its declaration and behaviour, tests, a page about it, and CI.

    NAME is the feature's name as tables will list it, such as rowSigning. docs/extending lists the methods of --acts.
    """
    _ensure_free(name)
    given = Wishes(**options)
    only_named = given == Wishes() and not as_json and directory is None
    if ask or (ask is None and only_named and sys.stdin.isatty() and sys.stdout.isatty()):
        given = asked_for(name, given)
    required = tuple(dict.fromkeys(default_catalog().get(one).name for one in given.requires))
    _ensure_own(given.key)
    acting = tuple(one for one in given.acts or (CONDITIONS,) if one != NOTHING)
    skeleton = Skeleton(name, given.key or f"{name}.enabled", required, given.for_readers, acting, _beside(required))
    folder, files = Path(directory or skeleton.distribution), files_of(skeleton)
    _write(folder, files)
    if as_json:
        print_answer("new-feature", {"directory": str(folder), "files": sorted(files), "feature": name})
        return 0
    print(f"Wrote {folder}: {', '.join(sorted(files))}")
    print(f"Next: pip install -e '{folder}[dev]' && pytest {folder} && deltaresolver features {name}")
    return 0


def _ensure_free(name: str) -> None:
    if _NAME.fullmatch(name) is None:
        raise CommandUsageError(
            f"{name!r} is not a feature name.",
            fix="Use letters and digits, beginning with a letter, in parts joined by hyphens or underscores.",
            details={"name": name},
        )
    known = default_catalog().find(name)
    if known is not None:
        raise CommandUsageError(
            f"There is a feature {known.name} already.",
            fix="Choose another name; case does not distinguish feature names.",
            details={"name": name, "known": known.name},
        )


def _ensure_own(key: str | None) -> None:
    """Delta refuses properties that begin with "delta." and that it does not know. Raises `CommandUsageError`."""
    if key is not None and is_deltas(key):
        raise CommandUsageError(
            f"{key} begins with delta., which is for Delta's own properties.",
            fix="Give --property a prefix of your own, such as acme.rowSigning.",
            details={"property": key},
        )


def _beside(required: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The features of other packages among those required, and among those that they require, with their packages."""
    names = sorted(prepare(default_catalog()).closure(required) - built_in_catalog().names)
    return tuple((name, default_feature_sources()[name].package) for name in names)


def _write(folder: Path, files: dict[str, str]) -> None:
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CommandUsageError(
                f"{folder} exists already and is not empty.",
                fix="Choose another folder with --directory.",
                details={"directory": str(folder)},
            )
        _write_whole(folder, files)
    except OSError as error:
        raise OutputUnwritableError(
            f"{folder} cannot be written: {error.strerror or error}.",
            fix="Choose a folder you may write to with --directory.",
            details={"directory": str(folder)},
        ) from error


def _write_whole(folder: Path, files: Mapping[str, str]) -> None:
    """All of them or none: a part would be in the way of the next try."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".made-", dir=folder) as name:
        made = Path(name)
        for path, text in files.items():
            file = made / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        for part in list(made.iterdir()):
            part.rename(folder / part.name)
