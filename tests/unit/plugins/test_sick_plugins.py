"""Each sick plugin ends in the code of its kind, naming plugin, package and method, whatever plugins are beside it."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from deltaresolver import features
from deltaresolver.errors import (
    DeltaResolverError,
    PluginCallFailedError,
    PluginRejectedError,
    TableExpressionRefusedError,
    TriggerFailedError,
)
from deltaresolver.model.actions import AddFile
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.support import ReadAs, Task
from deltaresolver.plugins import (
    Plugin,
    PluginSource,
    build_catalog,
    collect_audit_rules,
    commit_extensions,
    modules_of,
    stand,
    watch,
)
from deltaresolver.plugins.guard import TRACE, call
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.spark.writing.row_plan import TableRules
from deltaresolver.table import Table
from deltaresolver.transaction.hooks import run_hooks
from tests.unit.plugins.made_up_plugins import bringing, feature
from tests.unit.plugins.sick_plugins import BEHAVIOURS, FAULTS, FIELDS, HEADER, MODULES, SEVERITIES, behaving
from tests.unit.plugins.sick_plugins import feature as module_of_feature

BUILT_IN = modules_of(features)
SOURCE = PluginSource("sealed", "acme-delta")
HONEST = bringing(feature("honest"), name="honest", package="honest-delta")
HONEST_CATALOG = build_catalog((*BUILT_IN, HONEST))
ON = Metadata(configuration={"acme.honest": "true", "acme.sealed": "true"})
SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
WITH_ID = Metadata(schema_string=json.dumps(SCHEMA))
MAX_SECONDS = 5


def plugin(text: str) -> Plugin:
    """A plugin made of the text of its module."""
    module = ModuleType("acme_sealed")
    exec(compile(HEADER + text, "acme_sealed.py", "exec"), vars(module))
    return Plugin(module, SOURCE)


def catalog_with(text: str) -> FeatureCatalog:
    return build_catalog((*BUILT_IN, plugin(text), HONEST))


def ensure_rejected(text: str, words: str) -> None:
    sick = plugin(text)
    started = time.perf_counter()
    with pytest.raises(PluginRejectedError) as raised:
        build_catalog((*BUILT_IN, sick, HONEST))
    assert time.perf_counter() - started < MAX_SECONDS
    # The honest one beside it works, and so does every built-in feature.
    standing = stand(BUILT_IN, (HONEST, sick))
    assert [one.package for one in standing.set_aside] == ["acme-delta"]
    assert standing.catalog.names == HONEST_CATALOG.names
    assert resolve_new_table(ON, standing.catalog).features == resolve_new_table(ON, HONEST_CATALOG).features
    assert raised.value.code == "DR301"
    assert {problem.source for problem in raised.value.problems} == {SOURCE}
    assert "plugin sealed of package acme-delta" in raised.value.message
    assert words in raised.value.message


@pytest.mark.parametrize("name", FIELDS)
def test_a_wrong_field_ends_in_its_code(name: str) -> None:
    changes, words = FIELDS[name]
    ensure_rejected(module_of_feature(changes), words)


@pytest.mark.parametrize("name", MODULES)
def test_a_wrong_module_ends_in_its_code(name: str) -> None:
    text, words = MODULES[name]
    ensure_rejected(text, words)


@pytest.mark.parametrize("name", SEVERITIES)
def test_a_wrong_audit_rule_ends_in_its_code(name: str) -> None:
    made, words = SEVERITIES[name]
    with pytest.raises(PluginRejectedError) as raised:
        collect_audit_rules([plugin(f"@hookimpl\ndef audit_rules():\n    return {made}\n")])
    assert "plugin sealed of package acme-delta" in raised.value.message
    assert words in raised.value.message


def test_the_plugins_own_traceback_is_kept() -> None:
    with pytest.raises(PluginRejectedError) as raised:
        catalog_with("def helper():\n    return {}['seal']\n\n\n@hookimpl\ndef table_feature():\n    return helper()\n")
    cause = raised.value.__cause__
    assert isinstance(cause, KeyError)
    frames = []
    traceback = cause.__traceback__
    while traceback is not None:
        frames.append(traceback.tb_frame.f_code.co_name)
        traceback = traceback.tb_next
    assert frames[-1] == "helper"


def test_ctrl_c_passes_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        catalog_with("@hookimpl\ndef table_feature():\n    raise KeyboardInterrupt\n")


# --- code that is called later ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "asked", "words"),
    [
        ("ReadAs(columns=lambda metadata: ['id'])", "columns", "returned list, not texts by the names of columns"),
        ("ReadAs(columns=lambda metadata: {'id': 5})", "columns", "returned dict, not texts by the names of columns"),
        ("ReadAs(rows=lambda metadata: True)", "rows", "returned bool, not a text or None"),
        ("ReadAs(files=lambda metadata, file: None)", "files", "returned NoneType, not True or False"),
        ("ReadAs(files=lambda metadata, file: sys.exit(3))", "files", "raised SystemExit: 3"),
    ],
)
def test_a_failing_function_of_reading_ends_in_its_code(stated: str, asked: str, words: str) -> None:
    read = catalog_with(module_of_feature(f"support=Support(read={stated})")).get("acmeSealed").support.read
    assert isinstance(read, ReadAs)
    arguments = [Metadata(), AddFile("a", {}, 1, 1, data_change=True)][: 2 if asked == "files" else 1]
    with pytest.raises(PluginCallFailedError, match=words) as raised:
        getattr(read, asked)(*arguments)
    assert f"support.read of acmeSealed ({asked}) of plugin sealed of package acme-delta" in raised.value.message


@pytest.mark.parametrize("body", ["5", "{}['seal']", "sys.exit(3)"])
def test_a_failing_function_of_another_task_ends_in_its_code(body: str) -> None:
    support = catalog_with(module_of_feature(f"support=Support(checkpoint=lambda metadata: {body})"))
    with pytest.raises(PluginCallFailedError, match=r"support\.checkpoint of acmeSealed of plugin sealed of package"):
        support.get("acmeSealed").support.why_refused(Task.CHECKPOINT, Metadata())


ROWS = "from deltaresolver.plugin import ColumnExpression, ColumnSource, RowCondition\n\n\n"


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("row_conditions(self, metadata): return [RowCondition('seal', 5)]", "RowCondition.sql takes text, found 5"),
        ("row_conditions(self, metadata): return 'id > 1'", "returned str"),
        ("column_expressions(self, metadata): return [ColumnExpression('id', 'default', '1')]", "takes ColumnSource"),
        (
            "column_expressions(self, metadata): return [ColumnExpression('nothing', ColumnSource.DEFAULT, '1')]",
            "gave values for the column nothing, which the table does not have",
        ),
    ],
)
def test_a_wrong_condition_on_rows_ends_in_its_code(method: str, words: str) -> None:
    catalog = catalog_with(ROWS + behaving(f"def {method}"))
    with pytest.raises(PluginCallFailedError, match=words) as raised:
        TableRules.of(WITH_ID, Protocol(1, 7, None, frozenset({"acmeSealed"})), catalog)
    assert "of plugin sealed of package acme-delta" in raised.value.message


@pytest.mark.parametrize("sql", ["nothing > 1", "id >", "java_method('a')"])
def test_a_condition_that_nobody_can_evaluate_names_the_feature(sql: str) -> None:
    catalog = catalog_with(
        ROWS + behaving(f"def row_conditions(self, metadata): return [RowCondition('seal', {sql!r})]")
    )
    with pytest.raises(TableExpressionRefusedError, match=r"CHECK constraint seal \(feature acmeSealed\) of the table"):
        TableRules.of(WITH_ID, Protocol(1, 7, None, frozenset({"acmeSealed"})), catalog)


def test_functions_of_support_are_handed_what_they_cannot_change() -> None:
    text = "def hides(metadata):\n    metadata.schema.fields[0].metadata['acme.hacked'] = '1'\n\n\n"
    catalog = catalog_with(text + module_of_feature("support=Support(checkpoint=hides)"))
    metadata = WITH_ID
    with pytest.raises(PluginCallFailedError, match="read-only"):
        catalog.get("acmeSealed").support.why_refused(Task.CHECKPOINT, metadata)
    assert metadata.schema.fields[0].metadata == {}


# What a check returns is not looked at.
@pytest.mark.parametrize(
    ("method", "fault"),
    [
        (method, fault)
        for method in BEHAVIOURS
        for fault in FAULTS
        if not (fault == "wrong return" and method.startswith("check"))
    ],
)
def test_a_failing_method_of_a_behaviour_ends_in_its_code(tmp_path: Path, method: str, fault: str) -> None:
    body, words = FAULTS[fault]
    catalog = catalog_with(behaving(f"def {method}(self, {BEHAVIOURS[method]}):\n    {body}"))
    table = Table.create(tmp_path / "t", SCHEMA, catalog=build_catalog(BUILT_IN))
    started = time.perf_counter()
    with pytest.raises(PluginCallFailedError) as raised:
        Table(tmp_path / "t", catalog=catalog).alter({"acme.sealed": "true"})
    assert time.perf_counter() - started < MAX_SECONDS
    assert raised.value.message.startswith(f"Sealing.{method} of plugin sealed of package acme-delta")
    assert words in raised.value.message
    assert raised.value.details["package"] == "acme-delta"
    assert (raised.value.__cause__ is None) is (fault == "wrong return")
    assert table.log.update().table_version == 0


def test_a_refusal_of_a_behaviour_passes_through(tmp_path: Path) -> None:
    text = behaving("def check_draft(self, draft):\n    raise SealedError('no', fix='Ask.')")
    error = """from deltaresolver.errors import TransactionError


class SealedError(TransactionError):
    code = "ACME1"


"""
    catalog = catalog_with(error + text)
    Table.create(tmp_path / "t", SCHEMA, catalog=catalog)
    with pytest.raises(DeltaResolverError) as raised:
        Table(tmp_path / "t", catalog=catalog).alter({"acme.sealed": "true"})
    assert raised.value.code == "ACME1"


@pytest.mark.parametrize("body", ["return {}['seal']", "raise SystemExit(3)"])
def test_a_failing_function_of_a_trigger_ends_in_its_code(body: str) -> None:
    text = f"def seals(view):\n    {body}\n\n\n" + module_of_feature("trigger=Custom(seals, Remedy('Unseal.'))")
    with pytest.raises((TriggerFailedError, PluginCallFailedError)) as raised:
        resolve_new_table(Metadata(), catalog_with(text))
    assert raised.value.code in {"DR303", "DR304"}
    assert "plugin sealed of package acme-delta" in raised.value.message


def test_a_failing_rule_of_ones_own_ends_in_its_code() -> None:
    rule = """class Own:
    def fires(self, view): return view.nothing
    def evidence(self, view): return ()
    def remedies(self, view): return ()
    def hints(self): return ALWAYS
    def describe(self): return "never"


"""
    with pytest.raises(PluginCallFailedError, match="the trigger of acmeSealed, fires, of plugin sealed of package"):
        resolve_new_table(Metadata(), catalog_with(rule + module_of_feature("trigger=Own()")))


@pytest.mark.parametrize("body", ["raise KeyError('seal')", "sys.exit(3)"])
def test_a_failing_policy_ends_in_its_code(tmp_path: Path, body: str) -> None:
    text = f"""class Guard:
    def check(self, proposal):
        {body}


@hookimpl
def commit_policy():
    return Guard()
"""
    found = commit_extensions([plugin(text)])
    table = Table.create(tmp_path / "t", SCHEMA)
    with pytest.raises(PluginCallFailedError, match=r"Guard\.check of plugin sealed of package acme-delta raised"):
        Table(tmp_path / "t", policies=found.policies).alter({"a": "b"})  # type: ignore[arg-type]
    assert table.log.update().table_version == 0


def test_a_post_commit_hook_that_ends_the_program_does_not() -> None:
    text = """class Hook:
    name = "seal"
    def run(self, committed): sys.exit(3)
    def handle_error(self, error, table_version): heard.append(str(error))


heard = []


@hookimpl
def post_commit_hook():
    return Hook()
"""
    made = plugin(text)
    (hook,) = commit_extensions([made]).hooks
    run_hooks([hook], SimpleNamespace(table_version=1))  # type: ignore[list-item, arg-type]
    (heard,) = vars(made.hooks)["heard"]
    assert "Hook.run of plugin sealed of package acme-delta raised SystemExit: 3" in heard


@pytest.mark.parametrize("body", ["raise KeyError('seal')", "sys.exit(3)"])
def test_an_error_of_a_failing_error_handler_names_the_version_that_stands(body: str) -> None:
    text = f"""class Hook:
    name = "seal"
    def run(self, committed): raise OSError("late")
    def handle_error(self, error, table_version):
        {body}


@hookimpl
def post_commit_hook():
    return Hook()
"""
    (hook,) = commit_extensions([plugin(text)]).hooks
    with pytest.raises(PluginCallFailedError, match="after version 1 was committed of plugin sealed") as raised:
        run_hooks([hook], SimpleNamespace(table_version=1))  # type: ignore[list-item, arg-type]
    assert raised.value.code == "DR304"


def test_an_audit_rule_that_fails_half_way_names_its_package() -> None:
    text = """def check(table):
    yield 1
    sys.exit(3)


@hookimpl
def audit_rules():
    return AuditRule("acme", Severity.ERROR, "t", "r", check)
"""
    (rule,) = collect_audit_rules([plugin(text)])
    with pytest.raises(PluginCallFailedError, match="audit rule acme of plugin sealed of package acme-delta raised"):
        rule.rule.check(None)  # type: ignore[arg-type]


def test_a_call_that_does_not_come_back_is_named_while_it_runs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watch, "SLOW_SECONDS", 0.2)
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(watch, "_watcher", None)
    seen = []

    def waits() -> None:
        for _ in range(100):
            time.sleep(0.05)
            if "Sealing.check_draft of plugin sealed of package acme-delta is still running" in caplog.text:
                seen.append(True)
                return

    with caplog.at_level(logging.WARNING):
        call(SOURCE, "Sealing.check_draft", waits)
    assert seen


def test_calls_of_plugins_are_printed_where_that_is_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRACE, "1")
    catalog_with(module_of_feature(""))
    printed = capsys.readouterr().err
    assert "deltaresolver: plugin sealed of package acme-delta: table_feature returned after" in printed
