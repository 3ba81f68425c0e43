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
dependencies = [$dependencies]

[project.optional-dependencies]
dev = ["mypy>=1.13", "pytest>=8.3", "ruff>=0.8"]
spark = ["deltaresolver[spark]"]

# This is how deltaresolver finds the feature once the package is installed.
[project.entry-points."deltaresolver.features"]
$feature = "$module"

[tool.setuptools]
py-modules = ["$module"]

[tool.mypy]
strict = true
files = ["$module.py", "test_$module.py", "test_spark_$module.py"]

[tool.pytest.ini_options]
# What needs Spark and Java is asked for: pytest -m spark
addopts = "-m 'not spark'"
markers = ["spark: needs PySpark and Java"]

[tool.ruff]
line-length = 120
""")

MODULE = Template('''\
"""$feature: say here in one sentence what it gives to users.

Then say why clients must know it.
"""

${standard_imports}from deltaresolver.plugin import $imports

# The version of the hooks that this module is written for.
DELTARESOLVER_HOOKS = 1
# Delta refuses properties that start with "delta." and that it does not know, so choose a prefix of your own.
PROPERTY = $property_literal
$condition_line$reading$behaviour

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
        removal=Removal(drops_properties=($dropped)),
$behaviour_line$support_line    )
''')

TEST = Template('''\
"""$feature keeps every rule of a table feature, and comes when it is switched on."""

from deltaresolver import default_catalog, resolve_new_table
from deltaresolver.plugin import Metadata
from deltaresolver.testing import check_feature

import $module

ON = Metadata(configuration={$module.PROPERTY: "true"})
OFF = Metadata(configuration={$module.PROPERTY: "false"})
$beside

def test_${function}_passes_the_compliance_kit() -> None:
    """Every rule that a resolution relies on, and the whole life of a table."""
    check_feature($module, switched_on=[ON], switched_off=[OFF, Metadata()]$beside_argument)


def test_${function}_comes_with_its_property() -> None:
    """On with the property, and only then."""
    assert "$feature" in resolve_new_table(ON, catalog=default_catalog()).features
    assert "$feature" not in resolve_new_table(OFF, catalog=default_catalog()).features
''')

README = Template("""\
# $distribution

The Delta table feature `$feature`, switched on by the table property `$property_key`: [what it does](docs/$slug.md).

```bash
pip install -e '.[dev,spark]'
pytest                # the compliance kit; neither Spark nor Java is needed
pytest -m spark       # a table through Spark; needs Java 17
mypy
deltaresolver features $feature
echo '{"configuration": {$property_json: "true"}}' | deltaresolver explain
```

`.github/workflows/test.yml` does the same for each release of deltaresolver that `pyproject.toml` allows.
""")

READING = '''

def shown(metadata: Metadata) -> dict[str, str]:
    """For each column that readers see otherwise than it is stored, an expression in Spark SQL over what is stored.

    Without any, rows are shown as they are stored. For one that hides a column: {"salary": "CAST(NULL AS INT)"}.
    """
    return {}
'''
"""How the rows of a feature for readers are shown."""

PAGE = Template("""\
# $feature

Say here what it gives to users, and what readers and writers have to do.

| | |
|---|---|
| who must know it | $known_by |
| switched on by | `$property_key` = `true` |
$condition_row| requires | $required_words |
| taken away by | `ALTER TABLE t DROP FEATURE $feature` |
| specification | <https://example.com/$slug> |

## Switch it on

```sql
ALTER TABLE t SET TBLPROPERTIES ('$property_sql' = 'true')
```

The table then names `$feature` in its protocol. Clients that do not know it refuse to $refused such a table;
with this package installed, deltaresolver does not.
`deltaresolver impact PATH --set $property_shell=true` says who is locked out before you do it.

## What it does

$acts_words
""")

WORKFLOW = Template("""\
name: test
on: [push, pull_request]

jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        python: ["3.11", "3.13"]
        # Each release that pyproject.toml allows; add the next one here and there.
        deltaresolver: ["$release"]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: $${{ matrix.python }}
      - run: pip install "deltaresolver==$${{ matrix.deltaresolver }}.*" -e '.[dev]'
      - run: ruff check . && ruff format --check .
      - run: mypy
      - run: pytest
      # The installed package is found, and nothing of it is set aside.
      - run: deltaresolver plugins && deltaresolver features $feature

  spark:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
      - uses: actions/setup-java@v4
        with:
          distribution: temurin
          java-version: "17"
      - run: pip install -e '.[dev,spark]'
      - run: pytest -m spark
""")
