"""Packages with plugins that are hostile in text alone: their metadata, and every text that a plugin brings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.security.budget import run
from tests.unit.cli.running import first_commit, write_table
from tests.unit.plugins.packages_on_disk import honest

STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]")
"""Nothing of this may come out of a command."""
ESCAPES = "\x1b[2J\x1b]8;;http://evil\x07"
NAMED = "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n"
GROUP = "[deltaresolver.features]\n"
ENTRY = f"{GROUP}a = acme_mod\n"


def installed(folder: Path, metadata: bytes | None, entries: bytes, module: str = honest("acmeFeature")) -> Path:
    """A folder with one package in it."""
    information = folder / "acme-1.0.dist-info"
    information.mkdir(parents=True)
    (folder / "acme_mod.py").write_text(module, encoding="utf-8")
    (information / "entry_points.txt").write_bytes(entries)
    if metadata is not None:
        (information / "METADATA").write_bytes(metadata)
    return folder


METADATA = {
    "none": None,
    "empty": b"",
    "no name": b"Metadata-Version: 2.1\nVersion: 1.0\n",
    "an empty name": b"Metadata-Version: 2.1\nName: \nVersion: 1.0\n",
    "no version": b"Metadata-Version: 2.1\nName: acme\n",
    "not UTF-8": NAMED.encode() + b"Summary: \xff\xfe\n",
    "a name that is not UTF-8": b"Metadata-Version: 2.1\nName: ac\xff\xfeme\nVersion: 1.0\n",
    "a name of escapes": f"Metadata-Version: 2.1\nName: ac{ESCAPES}me\nVersion: 1.0\n".encode(),
    "a version of escapes": f"Metadata-Version: 2.1\nName: acme\nVersion: 1.0{ESCAPES}\n".encode(),
    "a name of two lines": b"Metadata-Version: 2.1\nName: acme\n ::error::x\nVersion: 1.0\n",
    "a name that is a path": b"Metadata-Version: 2.1\nName: ../../etc/passwd\nVersion: 1.0\n",
    "a long name": b"Metadata-Version: 2.1\nName: " + b"a" * 1_000_000 + b"\nVersion: 1.0\n",
    "markup": b"Metadata-Version: 2.1\nName: <script>alert(1)</script>\nVersion: <b>\n",
}


@pytest.mark.parametrize("name", METADATA)
@pytest.mark.parametrize("command", ["plugins", "--version", "explain"])
def test_a_package_with_damaged_metadata_is_named_by_its_folder(name: str, command: str, tmp_path: Path) -> None:
    site = installed(tmp_path / "site", METADATA[name], ENTRY.encode())
    table = [write_table(tmp_path / "t", first_commit())] if command == "explain" else []
    done = run(command, *table, packages=site)
    assert done.code == 0, done.err
    assert not STEERING.search(done.out + done.err)
    assert command != "plugins" or "acme" in done.out
    assert len(done.out) < 3000


ENTRIES = {
    "not UTF-8": ENTRY.encode() + b"b\xff = acme_mod\n",
    "a line that is no entry": f"{GROUP}aaa\n".encode(),
    "no module": f"{GROUP}a = \n".encode(),
    "a path": f"{GROUP}a = ../../etc/passwd\n".encode(),
    "slashes": f"{GROUP}a = ///\n".encode(),
    "a zero": f"{GROUP}a = ac\0me\n".encode(),
    "escapes": f"{GROUP}a = nothere{ESCAPES}\n".encode(),
    "a relative module": f"{GROUP}a = .acme_mod\n".encode(),
    "a function of the system": f"{GROUP}a = os:system\n".encode(),
    "a class": f"{GROUP}a = acme_mod:__class__.__mro__\n".encode(),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_a_package_with_damaged_entries_is_set_aside_and_stops_commits(name: str, tmp_path: Path) -> None:
    site = installed(tmp_path / "site", NAMED.encode(), ENTRIES[name])
    table = write_table(tmp_path / "t", first_commit())
    listed = run("plugins", packages=site)
    assert (listed.code, "acme is set aside" in listed.out) == (1, True)
    assert not STEERING.search(listed.out + listed.err)
    assert run("explain", table, packages=site).code == 0
    # Code that can be seen to have no policy stops nobody; what cannot be seen may have one.
    changed = run("alter", table, "--set", "delta.appendOnly=true", packages=site)
    assert (changed.code, "DR307" in changed.err) in {(2, True), (0, False)}
    left_out = run("--without-plugin", "acme", "alter", table, "--set", "delta.logRetentionDuration=interval 9 days",
                   packages=site)  # fmt: skip
    assert left_out.code == 0, left_out.err


@pytest.mark.parametrize("called", ["deltaresolver", "DeltaResolver", "DELTARESOLVER"])
def test_nobody_passes_for_this_package_by_its_name(called: str, tmp_path: Path) -> None:
    site = installed(tmp_path / "site", NAMED.replace("acme", called).encode(), ENTRY.encode())
    done = run("plugins", "--json", packages=site)
    assert [(one["package"], one["brings"]) for one in done.data["plugins"]] == [
        ("acme_mod", {"features": ["acmeFeature"]})
    ]


def test_a_damaged_package_without_our_plugins_is_passed_over(tmp_path: Path) -> None:
    installed(tmp_path / "site", NAMED.encode(), ENTRY.encode())
    torn = tmp_path / "site/other-2.0.dist-info"
    torn.mkdir()
    (torn / "entry_points.txt").write_bytes(b"[console_scripts]\n\xff = x\nnothing\n")
    done = run("plugins", "--json", packages=tmp_path / "site")
    assert [one["package"] for one in done.data["plugins"]] == ["acme"]


EVIL = (
    "x"
    + ESCAPES
    + "\x9b31m\u202e|`<script>alert(1)</script>\n::error file=a::pwned\n##vso[task.setvariable variable=a]b"
    "\n=cmd()|[l](javascript:alert(1))\r\x00"
)
BRINGING_TEXTS = """
from deltaresolver.plugin import *

EVIL, HALF = {evil!r}, {half!r}

@hookimpl
def table_feature():
    return TableFeature(
        name="acmeFeature", kind=FeatureKind.WRITER, summary="S" + EVIL, spec_url="javascript:alert(1)" + EVIL,
        trigger=PropertyIsTrue("acme.p" + EVIL), upgrades_existing_table=True,
        removal=Removal(drops_properties=("acme.q" + EVIL,)), owned_properties={{"acme.o" + EVIL}},
        clients=[ClientFact("delta-rs-python", reads="1.0", source="file:///etc" + EVIL)],
        error_pages={{"ACME1": "# ACME1 " + EVIL + "\\n[link](file:///etc/passwd) <b>x</b> ![i](http://evil/x.png)"}})

def check(table):
    yield Observation("O" + EVIL + HALF, remedy="R" + EVIL, command="rm " + EVIL, details={{"d" + EVIL: EVIL}})

@hookimpl
def audit_rules():
    return AuditRule("acme-rule", Severity.ERROR, "T" + EVIL, "R" + EVIL, check)

@hookimpl
def delta_client():
    return {{"id": "acme-client", "name": "N" + EVIL, "kind": "connector", "latest_seen": "2.3",
        "knowledge": "documents", "closed_list": True, "table_features_since": {{"reader": "2.0", "writer": "2.0"}},
        "max_legacy_reader": 2, "max_legacy_writer": 4, "notes": "n" + EVIL, "sources": ["javascript:x" + EVIL],
        "features": {{"appendOnly": {{"read": True, "write": True, "note": "no" + EVIL}}}}}}
"""
COMMANDS = {
    "plugins": ("plugins",),
    "features": ("features",),
    "one feature": ("features", "acmeFeature"),
    "a graph": ("features", "--graph", "--format", "mermaid"),
    "its error page": ("explain", "ACME1"),
    "explained": ("explain", "{table}"),
    "explained in Markdown": ("explain", "{table}", "--format", "markdown"),
    "explained by mermaid": ("explain", "{table}", "--format", "mermaid"),
    "clients": ("clients",),
    "one client": ("clients", "acme-client@2.3"),
    "impact": ("impact", "{table}", "--set", "delta.enableDeletionVectors=true"),
    "impact in Markdown": ("impact", "{table}", "--set", "delta.enableDeletionVectors=true", "--format", "markdown"),
    "alter": ("alter", "{table}", "--set", "delta.enableDeletionVectors=true", "--dry-run"),
    "drop-feature": ("drop-feature", "{table}", "acmeFeature", "--dry-run"),
    "audit": ("audit", "{table}"),
}
COMMANDS_OF_CI = re.compile(r"^\s*::\w|##\w*\[", re.MULTILINE)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A package that brings such texts, and a table on which its feature acts."""
    folder = tmp_path_factory.mktemp("hostile")
    site = installed(folder, NAMED.encode(), ENTRY.encode(), BRINGING_TEXTS.format(evil=EVIL, half=""))
    commit = first_commit(appendOnly="true")
    protocol = {"minReaderVersion": 1, "minWriterVersion": 7}
    commit[0]["protocol"] = protocol | {"writerFeatures": ["acmeFeature", "appendOnly", "invariants"]}
    commit[1]["metaData"]["configuration"][f"acme.p{EVIL}"] = "true"
    return site, write_table(folder / "t", commit)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_text_of_a_plugin_steers_a_terminal_or_a_ci(name: str, hostile: tuple[Path, Path]) -> None:
    site, table = hostile
    done = run(*(part.format(table=table) for part in COMMANDS[name]), packages=site)
    shown = done.out + done.err
    assert not STEERING.search(shown)
    assert not COMMANDS_OF_CI.search(shown)


def test_an_error_page_of_a_plugin_links_to_nothing_on_a_terminal(hostile: tuple[Path, Path]) -> None:
    shown = run("explain", "ACME1", packages=hostile[0], columns=100).out
    assert "ACME1" in shown
    assert "\x1b]8" not in shown
    assert not re.search(r"\x1b(?!\[[0-9;]*m)", shown)


def test_a_report_has_no_script_and_no_link_of_a_plugin(hostile: tuple[Path, Path], tmp_path: Path) -> None:
    site, table = hostile
    page, document = tmp_path / "report.html", tmp_path / "audit.json"
    done = run("audit", table, "--html", page, "--json", document, packages=site)
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert not re.search(r"""(href|src)\s*=\s*["']?(javascript|file|http)""", text)


def test_half_a_surrogate_pair_ends_one_rule_and_not_the_audit(tmp_path: Path) -> None:
    module = BRINGING_TEXTS.format(evil="", half="\ud800")
    site = installed(tmp_path / "site", NAMED.encode(), ENTRY.encode(), module)
    table = write_table(tmp_path / "lake/t", first_commit())
    done = run("audit", tmp_path / "lake", "--json", tmp_path / "audit.json", packages=site)
    assert done.code == 0, done.err
    assert "Rule acme-rule failed on this table" in (tmp_path / "audit.json").read_text(encoding="utf-8")
    assert table.exists()


def test_half_a_surrogate_pair_in_what_is_declared_sets_the_package_aside(tmp_path: Path) -> None:
    module = BRINGING_TEXTS.format(evil="\ud800", half="")
    site = installed(tmp_path / "site", NAMED.encode(), ENTRY.encode(), module)
    write_table(tmp_path / "lake/t", first_commit())
    done = run("plugins", packages=site)
    assert (done.code, "a text that UTF-8 cannot write" in done.out) == (1, True)
    assert run("audit", tmp_path / "lake", "--json", tmp_path / "audit.json", packages=site).code == 0
