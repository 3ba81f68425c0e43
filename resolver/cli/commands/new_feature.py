"""`deltaresolver new-feature`: a package for a table feature of your own, ready to install and to test."""

from __future__ import annotations

import re
from pathlib import Path

import click

from deltaresolver.cli.completion import complete_features, complete_folders
from deltaresolver.cli.output import print_json
from deltaresolver.cli.skeleton.files import Skeleton, files_of
from deltaresolver.defaults import default_catalog
from deltaresolver.errors import CommandUsageError, OutputUnwritableError

EXAMPLES = """\b
Examples:
  deltaresolver new-feature rowSigning
  deltaresolver new-feature rowSigning --property acme.rowSigning --requires rowTracking
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
    "--directory", help="The folder to write.  [default: ./deltaresolver-NAME]", shell_complete=complete_folders
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    name: str, key: str | None, requires: tuple[str, ...], for_readers: bool, directory: str | None, as_json: bool
) -> int:
    """Write the package of a table feature: its declaration, the entry point that registers it, and its test.

    NAME is the feature's name as tables will list it, such as rowSigning.
    """
    _ensure_free(name)
    required = tuple(default_catalog().get(one).name for one in requires)
    skeleton = Skeleton(name, key or f"{name}.enabled", required, for_readers)
    folder = Path(directory or skeleton.distribution)
    _write(folder, files_of(skeleton))
    if as_json:
        print_json({"directory": str(folder), "files": sorted(files_of(skeleton)), "feature": name})
        return 0
    print(f"Wrote {folder}: {', '.join(sorted(files_of(skeleton)))}")
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


def _write(folder: Path, files: dict[str, str]) -> None:
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CommandUsageError(
                f"{folder} exists already and is not empty.",
                fix="Choose another folder with --directory.",
                details={"directory": str(folder)},
            )
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputUnwritableError(
            f"{folder} cannot be written: {error.strerror or error}.",
            fix="Choose a folder you may write to with --directory.",
            details={"directory": str(folder)},
        ) from error
