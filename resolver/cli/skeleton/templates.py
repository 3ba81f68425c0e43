"""The texts of the files of a package that brings one table feature, with gaps."""

from __future__ import annotations

from string import Template

PYPROJECT = Template("""\
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
dev = ["mypy>=1.13", "pytest>=8.3"]

# This is how deltaresolver finds the feature once the package is installed.
[project.entry-points."deltaresolver.features"]
$feature = "$module"

[tool.setuptools]
py-modules = ["$module"]

[tool.mypy]
strict = true
files = ["$module.py", "test_$module.py"]
""")

MODULE = Template('''\
"""$feature: say here in one sentence what it gives to users.

Then say why clients must know it.
"""

from deltaresolver.plugin import $imports

# Delta refuses properties that start with "delta." and that it does not know, so choose a prefix of your own.
PROPERTY = $property_literal

$reading
@hookimpl
def table_feature() -> TableFeature:
    """Declare $feature."""
    return TableFeature(
        name="$feature",
        kind=FeatureKind.$kind,
        summary="Say in one sentence what users get.",
        spec_url="https://example.com/$slug",
$requires_line        # Other rules, over columns too, are in deltaresolver.plugin.
        trigger=PropertyIsTrue(PROPERTY),
        # Setting the property on an existing table adds the feature; False makes users ask for it by name first.
        upgrades_existing_table=True,
        # Whether a commit that adds the feature makes writers in flight fail.
        aborts_concurrent_writers=True,
        # Leave removal out if the feature can never be dropped.
        removal=Removal(drops_properties=(PROPERTY,)),
$support_line    )
''')

TEST = Template('''\
"""$feature keeps every rule of a table feature, and comes when it is switched on."""

import $module
from deltaresolver import default_catalog, resolve_new_table
from deltaresolver.plugin import Metadata
from deltaresolver.testing import check_feature

ON = Metadata(configuration={$module.PROPERTY: "true"})
OFF = Metadata(configuration={$module.PROPERTY: "false"})


def test_${function}_passes_the_compliance_kit() -> None:
    """Every rule that a resolution relies on, and the whole life of a table."""
    check_feature($module, switched_on=[ON], switched_off=[OFF, Metadata()])


def test_${function}_comes_with_its_property() -> None:
    """On with the property, and only then."""
    assert "$feature" in resolve_new_table(ON, catalog=default_catalog()).features
    assert "$feature" not in resolve_new_table(OFF, catalog=default_catalog()).features
''')

README = Template("""\
# $distribution

The Delta table feature `$feature`, switched on by the table property `$property_key`.

```bash
pip install -e '.[dev]'
pytest
mypy
deltaresolver features $feature
echo '{"configuration": {$property_json: "true"}}' | deltaresolver explain
```
""")

READING = '''
def shown(metadata: Metadata) -> dict[str, str]:
    """For each column that readers see otherwise than it is stored, an expression in Spark SQL over what is stored.

    Without any, rows are shown as they are stored. For one that hides a column: {"salary": "CAST(NULL AS INT)"}.
    """
    return {}

'''
"""How the rows of a feature for readers are shown."""
