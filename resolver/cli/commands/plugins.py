"""`deltaresolver plugins`: what installed packages bring, and which of them are set aside and why."""

from __future__ import annotations

from collections.abc import Iterator

import click

from deltaresolver.cli.inputs.installed_packages import InstalledPackage, look_at_packages
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_table, print_wrapped

EXAMPLES = """\b
Examples:
  deltaresolver plugins
  deltaresolver plugins --json
  deltaresolver explain /lake/events --without-plugin acme-delta
"""


@click.command("plugins", epilog=EXAMPLES)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> int:
    """Every installed package with plugins: what it brings, how long that takes, and whether it is used.

    A package that cannot be used is set aside: everything works as if it were not installed, but nothing is committed
    while a package that brings commit policies is set aside. Exits with 1 if there is such a package, or if part of
    one is left out.
    """
    packages = look_at_packages()
    if as_json:
        print_answer("plugins", {"plugins": [package.to_json() for package in packages]})
    elif not packages:
        print_wrapped("No package with plugins is installed. `deltaresolver new-feature` writes one.", "  ")
    else:
        print_table(("package", "version", "state", "ms", "brings"), map(_row, packages))
        for line in _reasons(packages):
            print_wrapped(line, "    ")
    return 1 if any(package.problems for package in packages) else 0


def _row(package: InstalledPackage) -> tuple[str, ...]:
    brings = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in package.brings.items())
    return (package.name, package.version, package.state, f"{package.milliseconds:.0f}", brings or "-")


def _reasons(packages: list[InstalledPackage]) -> Iterator[str]:
    for package in packages:
        if package.notes:
            yield ""
            yield f"{package.name} works, and its author should know:"
            yield from (f"  - {note}" for note in package.notes)
        if package.problems:
            yield ""
            yield f"{package.name} is {package.state}:"
            for problem in package.problems:
                yield f"  - {problem}"
            if package.guards:
                yield "  Nothing is committed meanwhile, because it brings, or may bring, commit policies (DR307)."
