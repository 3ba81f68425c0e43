"""What a feature states of clients reaches every verdict, and its error pages are found by their code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deltaresolver.cli.main import run
from deltaresolver.errors import PluginRejectedError
from deltaresolver.model.feature import ClientFact
from deltaresolver.plugins import build_catalog
from deltaresolver.table import Table
from tests.unit.plugins.made_up_plugins import bringing, feature
from tests.unit.plugins.packages_on_disk import install, site

__all__ = ["site"]

SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
SEALED = """
from deltaresolver.plugin import *

@hookimpl
def table_feature():
    return TableFeature(
        name="acmeSealed", kind=FeatureKind.READER_WRITER, summary="Made up.", spec_url="https://example.com",
        trigger=PropertyIsTrue("acme.sealed"), upgrades_existing_table=True, support=Support(read=SAFE),
        clients=({facts}), error_pages={pages})
"""
FACTS = """ClientFact("trino", reads="482", writes="never", source="https://example.com/trino"),
ClientFact("delta-rs-python", reads="never"),"""
PAGE = "# ACME01 SealBrokenError\n\nThe seal is broken.\n"


def installed(site: Path, facts: str = FACTS, pages: Any = None) -> None:
    install(site, "acme-delta", SEALED.format(facts=facts, pages={"ACME01": PAGE} if pages is None else pages))


@pytest.fixture
def table(site: Path, tmp_path: Path) -> str:
    installed(site)
    Table.create(tmp_path / "t", SCHEMA)
    return str(tmp_path / "t")


@pytest.mark.parametrize(
    ("client", "works"),
    [("trino@482:read", True), ("trino@481:read", False), ("trino@482:write", False), ("delta-rs-python:read", False)],
)
def test_impact_judges_known_clients_by_what_the_feature_states(
    table: str, client: str, works: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = client if "@" in client else "delta-rs-python@1.2.0:read"
    assert run(["impact", table, "--set", "acme.sealed=true", "--require", asked]) == (0 if works else 1)
    told = " ".join(capsys.readouterr().out.split())
    if client == "trino@481:read":
        assert "reads acmeSealed from 482 (as package acme-delta states, https://example.com/trino)" in told


def test_a_plan_uses_what_a_feature_states_of_clients(table: str) -> None:
    assert run(["alter", table, "--set", "acme.sealed=true"]) == 0
    assert run(["plan", table, "--client", "trino@482:read"]) == 0
    assert run(["plan", table, "--client", "trino@481:read"]) == 1


def test_the_command_features_shows_what_a_feature_states_of_clients(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["features", "acmeSealed"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "trino reads from 482 on and writes never; delta-rs-python reads never" in told
    assert "error pages ACME01" in told
    assert run(["features", "acmeSealed", "--json"]) == 0
    assert '"reads": "482"' in capsys.readouterr().out


@pytest.mark.parametrize("code", ["ACME01", "acme01"])
def test_explain_shows_the_page_of_a_plugins_error(table: str, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", code]) == 0
    assert capsys.readouterr().out == PAGE
    assert run(["explain", code, "--without-plugin", "acme-delta"]) == 2


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ('ClientFact("trno", reads="482"),', "trno"),
        ('ClientFact("trino", reads="soon"),', "soon"),
        ('ClientFact("trino", reads="482"), ClientFact("spark-on-the-moon", reads="1.0"),', "spark-on-the-moon"),
    ],
)
def test_a_fact_that_cannot_be_taken_up_is_left_out_and_named(
    site: Path, tmp_path: Path, facts: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(site, facts)
    path = str(tmp_path / "t")
    Table.create(path, SCHEMA)
    assert run(["impact", path, "--set", "acme.sealed=true", "--client", "trino@482"]) == 0
    assert run(["plugins"]) == 1
    told = capsys.readouterr().out
    assert "acme-delta is used in part" in told
    assert words in told


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ("clients='trino'", "takes ClientFact objects, found 't'"),
        ("clients=5", "not iterable"),
        ("clients=[('trino', '482')]", "takes ClientFact objects"),
        ("clients=ClientFact('trino')", "states neither"),
        ("clients=ClientFact('trino', reads='')", "takes a release"),
        ("clients=ClientFact('trino', reads=482)", "takes text"),
        ("clients=[ClientFact('trino', reads='1'), ClientFact('trino', reads='2')]", "two facts about trino"),
        ("error_pages='ACME01'", "takes a mapping"),
        ("error_pages={'DR201': 'x'}", "DR is taken"),
        ("error_pages={'acme 1': 'x'}", "is not a valid error code"),
        ("error_pages={'ACME01': ''}", "is not a string"),
        ("error_pages={'ACME01': b'x'}", "is not a string"),
    ],
)
def test_what_is_stated_wrongly_is_refused(changes: str, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        eval(f"feature('acmeSealed', {changes})", {"feature": feature, "ClientFact": ClientFact})


def test_two_features_with_a_page_for_one_code_are_refused() -> None:
    pages = {"ACME01": PAGE}
    one = bringing(feature("one", error_pages=pages), package="one-delta")
    other = bringing(feature("other", error_pages={"ACME01": "x"}), package="other-delta")
    with pytest.raises(PluginRejectedError, match="other brings a page for ACME01, which one of plugin"):
        build_catalog([one, other])
