"""The files of a package that brings one table feature."""

from __future__ import annotations

import json
import re

import attrs

from deltaresolver.cli.skeleton.behaviour_text import CONDITIONS, BehaviourText, behaviour_text, class_name
from deltaresolver.cli.skeleton.spark_template import CONDITION_TEST, SPARK_TEST
from deltaresolver.cli.skeleton.templates import MODULE, PAGE, PYPROJECT, READING, README, TEST, WORKFLOW
from deltaresolver.version import __version__


@attrs.frozen(slots=True)
class Skeleton:
    """What the files differ in."""

    feature: str
    property_key: str
    requires: tuple[str, ...]
    for_readers: bool
    acts: tuple[str, ...] = ()
    """The methods of its behaviour; without any it has none."""
    beside: tuple[tuple[str, str], ...] = ()
    """The features of other packages that come with it, each with its package."""

    @property
    def has_conditions(self) -> bool:
        """Whether a property holds a condition for rows."""
        return CONDITIONS in self.acts

    @property
    def behaviour(self) -> BehaviourText | None:
        """The class that acts."""
        return behaviour_text(self.feature, self.acts) if self.acts else None

    @property
    def slug(self) -> str:
        """The feature's name in lower case with hyphens, as distributions are named."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", self.feature).replace("_", "-").lower()

    @property
    def distribution(self) -> str:
        """The name to install by."""
        return f"deltaresolver-{self.slug}"

    @property
    def module(self) -> str:
        """The name to import by."""
        return self.distribution.replace("-", "_")


LONGEST_LINE = 100


def _imports(names: list[str]) -> str:
    """Names in the order of ruff and isort, on one line if they fit."""
    ordered = sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
    line = ", ".join(ordered)
    return line if len(line) < LONGEST_LINE - 40 else "(\n" + "".join(f"    {name},\n" for name in ordered) + ")"


_SUPPORT = """\
        # What this library does with such tables. Stored rows may be copied as they are, by DELETE for instance.
        support=Support(read=ReadAs(columns=shown), rewrite=SAFE),
"""

_BESIDE = """\
# What it requires of other packages, and what that requires: the kit knows no others than these and the built-in ones.
BESIDE = [default_catalog().get(name) for name in {names}]
"""


def files_of(skeleton: Skeleton) -> dict[str, str]:
    """The text of every file by its path."""
    values = {**_of_the_package(skeleton), **_of_the_code(skeleton), **_of_the_page(skeleton)}
    return {
        "pyproject.toml": PYPROJECT.substitute(values),
        "README.md": README.substitute(values),
        f"{skeleton.module}.py": MODULE.substitute(values),
        f"test_{skeleton.module}.py": TEST.substitute(values),
        f"test_spark_{skeleton.module}.py": SPARK_TEST.substitute(values),
        f"docs/{skeleton.slug}.md": PAGE.substitute(values),
        ".github/workflows/test.yml": WORKFLOW.substitute(values),
    }


def _of_the_package(skeleton: Skeleton) -> dict[str, str]:
    first, second = __version__.split(".")[:2]
    # What is promised to plugins stays until the next second number while the first is 0.
    after = f"0.{int(second) + 1}" if first == "0" else str(int(first) + 1)
    packages = (f"deltaresolver>={first}.{second},<{after}", *sorted({package for _, package in skeleton.beside}))
    return {
        "beside": _BESIDE.format(names=json.dumps([name for name, _ in skeleton.beside])) if skeleton.beside else "",
        "beside_argument": ", beside=BESIDE" if skeleton.beside else "",
        "dependencies": ", ".join(map(json.dumps, packages)),
        "distribution": skeleton.distribution,
        "feature": skeleton.feature,
        "function": skeleton.slug.replace("-", "_"),
        "module": skeleton.module,
        "property_json": json.dumps(skeleton.property_key),
        "property_key": skeleton.property_key,
        "release": f"{first}.{second}",
        "slug": skeleton.slug,
    }


def _of_the_code(skeleton: Skeleton) -> dict[str, str]:
    behaviour = skeleton.behaviour
    required = ", ".join(f'"{name}"' for name in skeleton.requires)
    imported = {"FeatureKind", "PropertyIsTrue", "Removal", "TableFeature", "hookimpl"}
    if skeleton.for_readers:
        imported |= {"SAFE", "Metadata", "ReadAs", "Support"}
    if behaviour is not None:
        imported |= set(behaviour.imports)
    return {
        "behaviour": "" if behaviour is None else f"\n\n{behaviour.text}",
        "behaviour_line": "" if behaviour is None else f"        behaviour={class_name(skeleton.feature)}(),\n",
        "condition_line": 'CONDITION = PROPERTY + ".condition"\n' if skeleton.has_conditions else "",
        "condition_test": CONDITION_TEST if skeleton.has_conditions else "",
        "dropped": "PROPERTY, CONDITION" if skeleton.has_conditions else "PROPERTY,",
        "error_import": "from deltaresolver.errors import RowViolationError\n" if skeleton.has_conditions else "",
        "imports": _imports(sorted(imported)),
        "kind": "READER_WRITER" if skeleton.for_readers else "WRITER",
        "properties": 'plugin.PROPERTY: "true"' + (', plugin.CONDITION: "id > 0"' if skeleton.has_conditions else ""),
        "property_literal": json.dumps(skeleton.property_key),
        "reading": READING if skeleton.for_readers else "",
        "requires_line": f"        requires={{{required}}},\n" if required else "",
        "standard_imports": "".join(f"{line}\n" for line in behaviour.standard) + "\n"
        if behaviour is not None and behaviour.standard
        else "",
        "support_line": _SUPPORT if skeleton.for_readers else "",
    }


def _of_the_page(skeleton: Skeleton) -> dict[str, str]:
    condition = f"{skeleton.property_key}.condition"
    acts = "".join(f"- `{name}`: say what, and when.\n" for name in skeleton.acts).rstrip()
    return {
        "acts_words": acts or "It is declared, and does nothing of its own.",
        "condition_row": f"| condition for rows | `{condition}`, in Spark SQL |\n" if skeleton.has_conditions else "",
        "known_by": "readers and writers" if skeleton.for_readers else "writers",
        "property_shell": skeleton.property_key if re.fullmatch(r"[\w.]+", skeleton.property_key) else "KEY",
        "property_sql": skeleton.property_key.replace("'", "\\'"),
        "refused": "read and write" if skeleton.for_readers else "write",
        "required_words": ", ".join(f"`{name}`" for name in skeleton.requires) or "nothing",
    }
