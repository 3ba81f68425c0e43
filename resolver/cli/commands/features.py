"""`deltaresolver features`: every table feature the catalog knows, one of them, or how they depend on each other."""

from __future__ import annotations

import click

from deltaresolver.cli.completion import complete_features
from deltaresolver.cli.feature_details import as_data, in_words, package_of, trigger_in_words, versions_in_words
from deltaresolver.cli.feature_graph import as_mermaid, as_tree, edges
from deltaresolver.cli.inputs.catalog_profiles import catalog_of, profile_option
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import on_terminal, print_fields, print_table
from deltaresolver.errors import CommandUsageError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import Maturity, TableFeature
from deltaresolver.resolution.graph import dependents
from deltaresolver.resolution.prepared import prepare

EXAMPLES = """\b
Examples:
  deltaresolver features
  deltaresolver features deletionVectors
  deltaresolver features --graph
  deltaresolver features --compat
  deltaresolver features --profile delta-spark --json
"""

OWN_PACKAGE = "deltaresolver"


@click.command("features", epilog=EXAMPLES)
@click.argument("name", required=False, shell_complete=complete_features)
@click.option("--graph", is_flag=True, help="Show which features require which.")
@click.option("--compat", is_flag=True, help="Show Databricks' tables: runtimes, protocol versions, Iceberg versions.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "mermaid", "markdown"]),
    default="text",
    show_default=True,
    help="The output format; mermaid is for --graph, markdown for --compat.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@profile_option
def command(name: str | None, graph: bool, compat: bool, form: str, as_json: bool, profile: str) -> int:
    """Every table feature known here: built in, and from installed plugins.

    With a NAME, in any case, everything about one feature.
    """
    catalog = catalog_of(profile)
    form = "json" if as_json else form
    _ensure_possible(form, graph=graph, compat=compat)
    if compat:
        # By name, because what is known of clients takes a while to load.
        from deltaresolver.cli.feature_compatibility import show_compatibility

        show_compatibility(catalog, name, form)
    elif graph:
        _show_graph(catalog if name is None else _around(catalog, name), form)
    elif name is not None:
        _show_one(catalog.get(name), catalog, form)
    else:
        _show_all(catalog, form)
    return 0


def _ensure_possible(form: str, *, graph: bool, compat: bool) -> None:
    """The options go together. Raises `CommandUsageError`."""
    details = {"format": form}
    if graph and compat:
        raise CommandUsageError("--graph and --compat are two views.", fix="Give one of the two.", details=details)
    if form == "mermaid" and not graph:
        raise CommandUsageError("--format mermaid draws a graph.", fix="Add --graph.", details=details)
    if form == "markdown" and not compat:
        raise CommandUsageError("--format markdown is for the tables.", fix="Add --compat.", details=details)


def _around(catalog: FeatureCatalog, name: str) -> FeatureCatalog:
    """One feature with everything it requires and everything that requires it."""
    wanted = catalog.get(name).name
    return catalog.restricted_to(prepare(catalog).closure((wanted,)) | dependents(catalog, wanted))


def _show_graph(catalog: FeatureCatalog, form: str) -> None:
    if form == "json":
        print_answer("features", {"edges": edges(catalog), "mermaid": as_mermaid(catalog)})
    else:
        print(as_mermaid(catalog) if form == "mermaid" else as_tree(catalog))


def _show_all(catalog: FeatureCatalog, form: str) -> None:
    if form == "json":
        print_answer("features", {"features": [as_data(feature) for feature in catalog]})
        return
    if on_terminal():
        print_table(("feature", "needs", "drop", "switched on by"), map(_narrow_row, catalog))
        return
    # The longest last, where nothing has to be padded for it.
    columns = ("feature", "kind", "versions", "removable", "maturity", "package", "switched on by", "requires")
    print_table(columns, map(_row, catalog))


def _row(feature: TableFeature) -> tuple[str, ...]:
    return (
        feature.name,
        feature.kind.value,
        versions_in_words(feature),
        "yes" if feature.is_removable else "no",
        feature.maturity.value,
        package_of(feature),
        trigger_in_words(feature),
        ", ".join(sorted(feature.requires)) or "-",
    )


def _narrow_row(feature: TableFeature) -> tuple[str, ...]:
    """The same for a terminal, without the usual values."""
    details = [trigger_in_words(feature).removeprefix("table property ")]
    if feature.requires:
        details.append(f"requires {', '.join(sorted(feature.requires))}")
    if feature.maturity is not Maturity.RELEASED:
        details.append(feature.maturity.value)
    if package_of(feature) != OWN_PACKAGE:
        details.append(f"from package {package_of(feature)}")
    return (
        feature.name,
        f"{feature.min_reader_version or '-'}, {feature.min_writer_version}",
        "yes" if feature.is_removable else "no",
        "\n".join(details),
    )


def _show_one(feature: TableFeature, catalog: FeatureCatalog, form: str) -> None:
    closure = sorted(prepare(catalog).closure((feature.name,)) - {feature.name})
    needed_by = sorted(dependents(catalog, feature.name))
    if form == "json":
        print_answer("features", {**as_data(feature), "requires_in_all": closure, "required_by": needed_by})
    else:
        print_fields(in_words(feature, closure, needed_by))
