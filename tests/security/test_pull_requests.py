"""`check` on what a stranger put into a pull request: it ends soon, shows no other files, and injects nothing."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from deltaresolver.check.formats.choose import FORMATS
from deltaresolver.check.sources.dbt import read_config, read_yaml
from deltaresolver.check.sources.scripts import read_script
from deltaresolver.errors import CheckFileError
from tests.security.budget import run

SECONDS = 10.0
"""Of processor time; each takes well below one."""
PROPERTIES = "models:\n - name: m\n   config:\n     tblproperties: "


def _repeated(begin: str, link: Callable[[int], str], use: str) -> str:
    return begin + "".join(link(number) for number in range(1, 12)) + PROPERTIES + use + "\n"


def _nine(number: int) -> str:
    return ", ".join([f"*a{number - 1}"] * 9)


YAML = {
    "aliases": _repeated("a0: &a0 [x]\n", lambda n: f"a{n}: &a{n} [{_nine(n)}]\n", "{k: *a11}"),
    "merged mappings": _repeated("a0: &a0 {z: 1}\n", lambda n: f"a{n}: &a{n} {{<<: [{_nine(n)}]}}\n", "{<<: *a11}"),
    "a list in itself": "c: &c [*c]\n" + PROPERTIES + "{k: *c}\n",
    "properties in themselves": PROPERTIES + "&p {k: *p}\n",
    "nested": PROPERTIES + "[" * 3000 + "]" * 3000,
    "a call": PROPERTIES + "!!python/object/apply:os.system ['exit 1']\n",
    "a long number": PROPERTIES + "{k: " + "9" * 6000 + "}\n",
    "a mapping of models": "models: {a: tblproperties}\n",
}
REFUSED = ("aliases", "merged mappings", "a list in itself", "properties in themselves", "nested")
"""Passed over, they would carry anything past the gate."""
SCRIPTS = {
    "heads of models": "{{config(" * 100_000,
    "notes": "{#" * 500_000,
    "blocks": "{%" * 500_000,
    "templates": "{{" * 500_000,
    "tables of templates": "{{ref(" * 100_000,
    "variables": "${" * 200_000,
    "comments": "--\n" * 300_000 + "ALTER TABLE t SET TBLPROPERTIES ('a'='b')",
    "quotes": "'\\" * 200_000,
    "statements": "ALTER TABLE t SET TBLPROPERTIES ('a'='b');\n" * 20_000,
    "signs": "{{ config(tblproperties=" + "-" * 50_000 + "1) }}",
    "brackets": "{{ config(tblproperties=" + "[" * 5000 + ") }}",
    "a list as a key": "{{ config(tblproperties={[]: 1}) }}",
    "a zero": "{{ config(tblproperties={'a': '\0'}) }}",
    "an endless number": "{{ config(tblproperties={'a': " + "9" * 9000 + "}) }}",
}


@pytest.mark.parametrize("name", YAML)
def test_yaml_ends_soon(name: str) -> None:
    pytest.importorskip("yaml")
    began = time.process_time()
    with pytest.raises(CheckFileError) if name in REFUSED else contextlib.nullcontext():
        assert list(read_yaml("x.yml", YAML[name])) == []
    assert time.process_time() - began < SECONDS


def test_yaml_that_repeats_a_little_is_read() -> None:
    pytest.importorskip("yaml")
    shared = "p: &p {a: b}\n" + PROPERTIES + "{<<: *p, c: d}\n"
    assert [one.properties for one in read_yaml("x.yml", shared)] == [{"a": "b", "c": "d"}]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_ends_soon(name: str) -> None:
    began = time.process_time()
    found = list(read_script("x.sql", SCRIPTS[name]))
    assert list(read_config("x.sql", SCRIPTS[name])) == []
    assert len(found) == {"comments": 1, "statements": 20_000}.get(name, 0)
    assert time.process_time() - began < SECONDS


def test_padding_carries_nothing_past_the_gate() -> None:
    pytest.importorskip("yaml")
    padded = "x" * 200_000
    with pytest.raises(CheckFileError):
        list(read_yaml("x.yml", f"{PROPERTIES}{{a: {padded}, 'delta.enableDeletionVectors': 'true'}}"))
    with pytest.raises(CheckFileError):
        list(read_config("x.sql", f"{{{{ config(tblproperties={{'a': '{padded}'}}) }}}}"))


@pytest.mark.parametrize("target", ["{outside}/outside.sql", "../outside.sql", "/etc/passwd"])
def test_a_link_out_of_what_is_checked_is_refused(target: str, tmp_path: Path) -> None:
    (tmp_path / "outside.sql").write_text("ALTER TABLE t SET TBLPROPERTIES ('secret' = 'TOPSECRET');\n")
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "away.sql").symlink_to(target.format(outside=tmp_path))
    done = run("check", repository, "--config", "none", "--json")
    assert (done.code, done.error["code"]) == (2, "DR435")
    assert "TOPSECRET" not in done.out + done.err


def test_a_link_inside_is_followed(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "shared.sql").write_text("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b');\n")
    (tmp_path / "models/here.sql").symlink_to("../shared.sql")
    (tmp_path / "models/up").symlink_to(tmp_path)
    done = run("check", "models", "--config", "none", "--json", folder=tmp_path)
    assert (done.data["files"], done.data["statements"]) == (1, 1)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "zeros"])
def test_what_is_not_a_file_is_not_waited_for(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "x.sql")
    done = run("check", tmp_path / "x.sql", "--config", "none")
    assert (done.code, "DR435" in done.err) == (2, True)


ODD_NAME = b"a\xff\n::error file=x::y%0A\x1b[31m\xe2\x80\xae.sql"


@pytest.mark.parametrize("shown", FORMATS)
def test_no_name_in_it_breaks_out_of_a_format(shown: str, tmp_path: Path) -> None:
    name = "t\\ud800`\\n::stop-commands::x\\u001b[2J<script>alert(1)</script>"
    rest = '"schemaString":"{}","configuration":{"a":"\\udfff"},"format":{},"partitionColumns":[]'
    (tmp_path / "x.json").write_text(f'{{"metaData":{{"id":"i","name":"{name}",{rest}}}}}')
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + ODD_NAME))).write_text(
        "ALTER TABLE nowhere SET TBLPROPERTIES ('delta.a' = 'b');\n"
    )
    done = run("check", tmp_path, "--config", "none", "--format", shown)
    lines = (done.out + done.err).splitlines()
    assert done.code in (0, 1, 2)
    assert not [line for line in lines if line.startswith(("::stop-commands", "::error file=x"))]
    assert "\x1b" not in done.out + done.err
