"""A plugin that loses or changes what is not its own ends a commit with its name, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

from deltaresolver.cli.main import run
from deltaresolver.errors import PluginCallFailedError
from deltaresolver.model.actions import AddFile, SetTransaction
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.plugins import build_catalog
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.table import Table
from deltaresolver.transaction.operation import operation
from tests.unit.plugins.packages_on_disk import honest, install, site
from tests.unit.plugins.sick_plugins import behaving
from tests.unit.plugins.sick_plugins import feature as module_of_feature
from tests.unit.plugins.test_sick_plugins import BUILT_IN, HONEST, plugin

__all__ = ["site"]

NAMES = ("id", "amount", "day")
SCHEMA = {
    "type": "struct",
    "fields": [{"name": name, "type": "long", "nullable": True, "metadata": {}} for name in NAMES],
}
APPEND = operation("WRITE", {"mode": '"Append"'})
FILE = AddFile("day=1/a.parquet", {"day": "1"}, 1, 1, data_change=True, stats='{"numRecords": 5}')
IMPORTS = "import attrs\nfrom deltaresolver.actions import AddFile, DomainMetadata, Protocol\n\n"
FILES = "attrs.evolve(one, {}) if isinstance(one, AddFile) else one for one in draft.actions"
DOMAIN = "DomainMetadata('{}', '', removed=False)"

DRAFTS = {
    "loses everything": "[]",
    "loses a file": "[one for one in draft.actions if not isinstance(one, AddFile)]",
    "names another file": "[AddFile('b.parquet', {}, 1, 1, data_change=True)]",
    "doubles a file": "[*draft.actions, *draft.actions]",
    "changes the partition": f"[{FILES.format('''partition_values={'day': '2'}''')}]",
    "changes the statistics": f"[{FILES.format('stats=None')}]",
    "loses the mark of a stream": "[one for one in draft.actions if isinstance(one, AddFile)]",
    "adds a protocol": "[*draft.actions, Protocol(1, 2)]",
    "writes a domain of a built-in feature": f"[*draft.actions, {DOMAIN.format('delta.rowTracking')}]",
    "adds metadata": "[*draft.actions, draft.metadata]",
}
METADATA = {
    "loses a column": """schema_string='{"type":"struct","fields":[]}'""",
    "changes a type": "schema_string=change.metadata.schema_string.replace('long', 'string')",
    "changes the id": "id='other'",
    "changes the partitioning": "partition_columns=('amount',)",
}


def catalog_with(text: str) -> FeatureCatalog:
    return build_catalog((*BUILT_IN, plugin(IMPORTS + text), HONEST))


@pytest.fixture
def table(tmp_path: Path) -> Table:
    catalog = catalog_with(module_of_feature(""))
    properties = {"acme.sealed": "true", "delta.feature.domainMetadata": "supported"}
    made = Table.create(tmp_path / "t", SCHEMA, properties=properties, partition_columns=["day"], catalog=catalog)
    made.start_transaction().commit([FILE], APPEND)
    return made


@pytest.mark.parametrize("name", DRAFTS)
@pytest.mark.parametrize("method", ["amend_draft", "rebase"])
def test_a_commit_is_not_changed_behind_its_maker(table: Table, tmp_path: Path, name: str, method: str) -> None:
    parameters = "self, draft" if method == "amend_draft" else "self, draft, winner"
    catalog = catalog_with(behaving(f"def {method}({parameters}):\n    return draft.with_actions({DRAFTS[name]})"))
    transaction = Table(tmp_path / "t", catalog=catalog).start_transaction()
    if method == "rebase":
        table.start_transaction().commit([attrs.evolve(FILE, path="day=1/w.parquet")], APPEND)
    newest = table.log.update().table_version
    with pytest.raises(PluginCallFailedError) as raised:
        transaction.commit([attrs.evolve(FILE, path="day=1/c.parquet"), SetTransaction("stream", 7)], APPEND)
    assert raised.value.message.startswith(f"Sealing.{method} of plugin sealed of package acme-delta")
    assert raised.value.code == "DR304"
    assert table.log.update().table_version == newest


@pytest.mark.parametrize("name", METADATA)
def test_metadata_keeps_what_users_gave_it(table: Table, tmp_path: Path, name: str) -> None:
    body = f"import attrs\n    return attrs.evolve(change.metadata, {METADATA[name]})"
    catalog = catalog_with(behaving(f"def amend_metadata(self, change):\n    {body}"))
    with pytest.raises(PluginCallFailedError, match=r"Sealing\.amend_metadata of plugin sealed of package acme-delta"):
        Table(tmp_path / "t", catalog=catalog).alter({"x.y": "1"})
    assert table.log.update().table_version == 1


def test_tags_info_and_domains_of_its_own_are_a_plugins_to_add(table: Table, tmp_path: Path) -> None:
    own = DOMAIN.format("acme.seal")
    tagged = FILES.format("tags={'acme': '1'}")
    text = f"def amend_draft(self, draft):\n    return draft.with_actions([*({tagged}), {own}]).with_tag('a', 'b')"
    transaction = Table(tmp_path / "t", catalog=catalog_with(behaving(text))).start_transaction()
    transaction.commit([attrs.evolve(FILE, path="day=1/c.parquet")], APPEND)
    snapshot = table.snapshot()
    assert "acme.seal" in snapshot.domains
    assert {file.path: dict(file.tags or {}) for file in snapshot.add_actions()}["day=1/c.parquet"] == {"acme": "1"}


RULE = """class Own:
    def fires(self, view): return True
    def evidence(self, view): {evidence}
    def remedies(self, view): return {remedies}
    def hints(self): return {hints}
    def describe(self): return {describe}


"""
SOUND = {"evidence": "return ()", "remedies": "()", "hints": "ALWAYS", "describe": "'x'"}


@pytest.mark.parametrize(
    ("part", "text", "words"),
    [
        ("evidence", "return [1]", "returned int among others"),
        ("evidence", "\n        while True: yield PropertyEvidence('a', 'b')", "more than 100,000 items came"),
        ("remedies", "['Unseal.']", "returned str among others"),
        ("hints", "5", "returned int, not Hints"),
        ("describe", "None", "returned NoneType, not str"),
    ],
)
def test_a_rule_that_answers_something_else(part: str, text: str, words: str) -> None:
    catalog = catalog_with(RULE.format(**(SOUND | {part: text})) + module_of_feature("trigger=Own()"))
    trigger = catalog.get("acmeSealed").trigger
    assert trigger is not None
    with pytest.raises(PluginCallFailedError, match=words) as raised:  # noqa: PT012 - one of the two asks for it
        resolve_new_table(Metadata(), catalog).explain()
        trigger.describe()
    assert f"the trigger of acmeSealed, {part}, of plugin sealed of package acme-delta" in raised.value.message


def test_what_a_package_prints_is_not_in_the_output(site: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = honest("acmeSealed").replace("    return", "    print('asked')\n    return")
    install(site, "acme-delta", f"{text}\nprint('imported')\n")
    assert run(["features", "acmeSealed", "--json"]) == 0
    printed = capfd.readouterr()
    assert json.loads(printed.out)["name"] == "acmeSealed"
    assert {"imported", "asked"} <= set(printed.err.split())
