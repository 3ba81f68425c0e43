"""The files of a package that brings one table feature."""

from __future__ import annotations

import json
import re

import attrs

from deltaresolver.cli.skeleton.templates import MODULE, PYPROJECT, READING, README, TEST


@attrs.frozen(slots=True)
class Skeleton:
    """What the files differ in."""

    feature: str
    property_key: str
    requires: tuple[str, ...]
    for_readers: bool

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


def files_of(skeleton: Skeleton) -> dict[str, str]:
    """The text of every file by its path."""
    required = ", ".join(f'"{name}"' for name in skeleton.requires)
    imported = ["FeatureKind", "PropertyIsTrue", "Removal", "TableFeature", "hookimpl"]
    if skeleton.for_readers:
        imported += ["SAFE", "Metadata", "ReadAs", "Support"]
    values = {
        "distribution": skeleton.distribution,
        "feature": skeleton.feature,
        "function": skeleton.slug.replace("-", "_"),
        "imports": _imports(imported),
        "kind": "READER_WRITER" if skeleton.for_readers else "WRITER",
        "module": skeleton.module,
        "property_json": json.dumps(skeleton.property_key),
        "property_key": skeleton.property_key,
        "property_literal": json.dumps(skeleton.property_key),
        "reading": READING if skeleton.for_readers else "",
        "requires_line": f"        requires={{{required}}},\n" if required else "",
        "slug": skeleton.slug,
        "support_line": _SUPPORT if skeleton.for_readers else "",
    }
    return {
        "pyproject.toml": PYPROJECT.substitute(values),
        "README.md": README.substitute(values),
        f"{skeleton.module}.py": MODULE.substitute(values),
        f"test_{skeleton.module}.py": TEST.substitute(values),
    }
