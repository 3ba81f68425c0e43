"""The files of a package that brings one table feature."""

from __future__ import annotations

import json
import re
from string import Template

import attrs


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


_PYPROJECT = Template("""\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "$distribution"
version = "0.1.0"
description = "The Delta table feature $feature"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["deltaresolver"]

[project.optional-dependencies]
dev = ["pytest>=8.3"]

# This is how deltaresolver finds the feature once the package is installed.
[project.entry-points."deltaresolver.features"]
$feature = "$module"

[tool.setuptools]
py-modules = ["$module"]
""")

_MODULE = Template('''\
"""$feature: say here in one sentence what it gives to users.

Then say why clients must know it.
"""

from deltaresolver.model.feature import FeatureKind, Removal, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.plugins import hookimpl

# Delta refuses properties that start with "delta." and that it does not know, so choose a prefix of your own.
PROPERTY = $property_literal


@hookimpl
def table_feature() -> TableFeature:
    """Declare $feature."""
    return TableFeature(
        name="$feature",
        kind=FeatureKind.$kind,
        summary="Say in one sentence what users get.",
        spec_url="https://example.com/$slug",
$requires_line        # Other rules, over columns too, are in deltaresolver.model.rules.
        trigger=PropertyIsTrue(PROPERTY),
        # Setting the property on an existing table adds the feature; False makes users ask for it by name first.
        upgrades_existing_table=True,
        # Whether a commit that adds the feature makes writers in flight fail.
        aborts_concurrent_writers=True,
        # Leave removal out if the feature can never be dropped.
        removal=Removal(drops_properties=(PROPERTY,)),
    )
''')

_TEST = Template('''\
"""$feature keeps every rule of a table feature, and comes when it is switched on."""

import $module
from deltaresolver.defaults import default_catalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.testing import check_feature

ON = Metadata(configuration={$module.PROPERTY: "true"})
OFF = Metadata(configuration={$module.PROPERTY: "false"})


def test_${function}_passes_the_compliance_kit() -> None:
    """Every rule that a resolution relies on."""
    check_feature($module, switched_on=[ON], switched_off=[OFF, Metadata()])


def test_${function}_comes_with_its_property() -> None:
    """On with the property, and only then."""
    assert "$feature" in resolve_new_table(ON, default_catalog()).features
    assert "$feature" not in resolve_new_table(OFF, default_catalog()).features
''')

_README = Template("""\
# $distribution

The Delta table feature `$feature`, switched on by the table property `$property_key`.

```bash
pip install -e '.[dev]'
pytest
deltaresolver features $feature
echo '{"configuration": {$property_json: "true"}}' | deltaresolver explain
```
""")


def files_of(skeleton: Skeleton) -> dict[str, str]:
    """The text of every file by its path."""
    required = ", ".join(f'"{name}"' for name in skeleton.requires)
    values = {
        "distribution": skeleton.distribution,
        "feature": skeleton.feature,
        "function": skeleton.slug.replace("-", "_"),
        "kind": "READER_WRITER" if skeleton.for_readers else "WRITER",
        "module": skeleton.module,
        "property_json": json.dumps(skeleton.property_key),
        "property_key": skeleton.property_key,
        "property_literal": json.dumps(skeleton.property_key),
        "requires_line": f"        requires={{{required}}},\n" if required else "",
        "slug": skeleton.slug,
    }
    return {
        "pyproject.toml": _PYPROJECT.substitute(values),
        "README.md": _README.substitute(values),
        f"{skeleton.module}.py": _MODULE.substitute(values),
        f"test_{skeleton.module}.py": _TEST.substitute(values),
    }
