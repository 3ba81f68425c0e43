"""The command line as a whole: help, unexpected errors, terminals and pipes."""

from __future__ import annotations

import json
import os
import platform
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.cli.demo.plugin import install_plugin
from deltaresolver.cli.main import COMMANDS
from tests.snapshots.compare import assert_matches_snapshot
from tests.unit.cli.on_terminal import on_terminal, without_colours
from tests.unit.cli.running import (
    COMMAND,
    column,
    first_commit,
    metadata,
    run,
    run_afresh,
    struct,
    write_table,
)
from tests.unit.cli.shell import run_script

HELPS = {
    "deltaresolver": ("--help",),
    **{name: (name, "--help") for name in COMMANDS},
    "conformance-resolver": ("conformance", "resolver", "--help"),
    "conformance-conflicts": ("conformance", "conflicts", "--help"),
    "conformance-tables": ("conformance", "tables", "--help"),
    "conformance-ddl": ("conformance", "ddl", "--help"),
}


@pytest.mark.parametrize("name", HELPS)
def test_help_is_as_recorded(name: str) -> None:
    outcome = run(*HELPS[name])
    assert (outcome.code, outcome.err) == (0, "")
    assert_matches_snapshot(f"help/{name}.txt", outcome.out)


def examples_in_help() -> list[str]:
    """Every example of every help text but those that cannot be run here.

    `conformance` needs recorded answers, `ui` serves until stopped, and `probe` installs from a package index: its own
    tests run it with what is installed. `--without-plugin` names a package that is not.
    """
    folder = Path(__file__).parents[2] / "snapshots" / "help"
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.txt"))]
    lines = {line.strip() for text in texts for line in text.partition("Examples:")[2].splitlines()}
    elsewhere = ("conformance", " ui", " probe", "--without-plugin")
    return sorted(line for line in lines if line and not any(name in line for name in elsewhere))


def commit_for(example: str) -> list[dict[str, Any]]:
    """A table the example makes sense for: one with the features it drops, or a new one."""
    first = first_commit()
    if "drop-feature" in example and " plan " not in f" {example}":
        features = {"readerFeatures": ["deletionVectors", "v2Checkpoint"]}
        features["writerFeatures"] = [*features["readerFeatures"], "checkpointProtection"]
        first[0]["protocol"] = {"minReaderVersion": 3, "minWriterVersion": 7, **features}
    if "RENAME COLUMN" in example:
        ids = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "c"}
        first = first_commit(columnMapping__mode="name", columnMapping__maxColumnId="1")
        first[0]["protocol"] = {"minReaderVersion": 2, "minWriterVersion": 5}
        first[1]["metaData"]["schemaString"] = json.dumps(struct({**column("id"), "metadata": ids}))
    return first


@pytest.mark.parametrize("example", examples_in_help())
def test_every_example_in_help_runs(example: str, tmp_path: Path) -> None:
    table = write_table(tmp_path / "lake" / "events", commit_for(example))
    if " restore " in example:
        (table / "_delta_log" / f"{1:020d}.json").write_text('{"commitInfo":{"operation":"WRITE"}}\n', encoding="utf-8")
    if " vacuum " in example:
        (table / "orphan").write_bytes(b"")
        os.utime(table / "orphan", (1, 1))
    if " check " in example:
        (tmp_path / "ddl").mkdir()
        (tmp_path / "ddl" / "a.sql").write_text("CREATE TABLE t (id BIGINT) USING delta", encoding="utf-8")
    if " --from " in example:
        assert run("audit", str(table), "--json", str(tmp_path / "audit.json"), "--workers", "1").code == 0
    done = run_script(example.replace("/lake/", f"{tmp_path}/lake/"), tmp_path)
    assert done.returncode in ((0, 1) if "--check" in example else (0,)), done.stderr
    assert done.stdout
    assert table.is_dir()


def test_without_arguments_help_is_shown() -> None:
    outcome = run()
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == run("--help").out


def test_the_version_is_printed() -> None:
    lines = run("--version").out.splitlines()
    assert [line.split()[0] for line in lines] == ["deltaresolver", "python", "pyspark", "plugins"]
    assert lines[1] == f"python {platform.python_version()}"


def test_the_version_names_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])  # which the plugin is put on
    install_plugin(tmp_path)
    assert run_afresh("--version", env={"PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{tmp_path}"}).out.endswith(
        "plugins acme-audit-trail 1.0\n"
    )


def test_python_can_run_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "deltaresolver", "--help"], capture_output=True, text=True, check=False
    )
    assert done.stdout == run("--help").out


COMPLETIONS = {
    "his": "history",
    "features row": "rowTracking",
    "drop-feature t checkpointP": "checkpointProtection",
    "alter t --set delta.enableRow": "delta.enableRowTracking=false",
    "alter t --set delta.columnMapping.m": "delta.columnMapping.mode=name",
    "resolve t --unset delta.appendO": "delta.appendOnly",
    "impact t --require trin": "trino",
    "clients delta-rs-p": "delta-rs-python",
    "explain t --profile data": "databricks",
    "audit t --fail-on regr": "regression",
    "plan t --drop-feature typeW": "typeWidening",
}


@pytest.mark.parametrize("typed", COMPLETIONS)
def test_the_shell_completes(typed: str) -> None:
    words = f"deltaresolver {typed}"
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    outcome = run(env={"_DELTARESOLVER_COMPLETE": "bash_complete", **asked})
    assert f"plain,{COMPLETIONS[typed]}" in outcome.out.splitlines()


IN_BASH = {
    "plan t --client delta-spark@": "4.",
    "impact t --set delta.appendOnly=": "false",
    "impact t --set=delta.appendOnly=f": "false",
    "features rowT": "rowTracking",
}
"""What bash gets for a line, of whose last word it replaces only what follows `@` and `=`."""


@pytest.mark.parametrize("typed", IN_BASH)
def test_bash_completes_words_that_it_takes_for_several(typed: str) -> None:
    script = run(env={"_DELTARESOLVER_COMPLETE": "bash_source"}).out
    asked = f"COMP_LINE={shlex.quote(f'deltaresolver {typed}')}; COMP_POINT=${{#COMP_LINE}}"
    call = '_deltaresolver_completion deltaresolver; printf "%s\\n" "${COMPREPLY[@]}"'
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{asked}\n{call}"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()
    assert any(line.startswith(IN_BASH[typed]) for line in done.stdout.splitlines()), done.stdout
    assert all("@" not in line and "=" not in line for line in done.stdout.splitlines())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_gets_its_script(shell: str) -> None:
    assert "_DELTARESOLVER_COMPLETE" in run(env={"_DELTARESOLVER_COMPLETE": f"{shell}_source"}).out


def test_colours_can_be_chosen_anywhere_on_the_line() -> None:
    assert "\x1b[" in run("explain", "--color", "always", stdin=metadata()).out
    assert "\x1b[" in run("--color=always", "explain", stdin=metadata(), env={"NO_COLOR": "1"}).out
    assert "\x1b" not in on_terminal("explain", "--color", "never", stdin=metadata())


def test_a_misspelt_command_names_the_closest() -> None:
    outcome = run("explian")
    assert outcome.code == 2
    assert "did you mean explain?" in outcome.err


BREAK = """
import sys, deltaresolver.cli.inputs.sources as inputs
from deltaresolver.cli.main import main
def broken(source, storage): return {}["lost"]
inputs.read_source = broken
main(sys.argv[1:])
"""


def run_broken(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A process in which reading the input fails in a way nobody foresaw."""
    command = [sys.executable, "-c", BREAK, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def test_an_unforeseen_exception_is_reported_without_a_traceback() -> None:
    done = run_broken("resolve")
    assert done.returncode == 2
    assert done.stderr == (
        "error DR999: KeyError: 'lost'\n  fix: Run the same command with --traceback, and report what it prints.\n"
    )


@pytest.mark.parametrize("arguments", [("--traceback", "resolve"), ("resolve", "--traceback")])
def test_a_traceback_is_shown_when_asked_for(arguments: tuple[str, ...]) -> None:
    done = run_broken(*arguments)
    assert done.returncode == 2
    assert "Traceback (most recent call last)" in done.stderr
    assert "error DR999" in done.stderr


def test_a_reader_that_stops_early_is_not_an_error() -> None:
    shell = f"set -o pipefail; {shlex.join((*COMMAND, 'features', '--json'))} | head -1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_output_that_the_terminal_cannot_encode_is_not_an_error() -> None:
    named = '{"name": "日本", "configuration": {"delta.appendOnly": "true"}}'
    outcome = run_afresh("explain", stdin=named, env={"PYTHONIOENCODING": "ascii"})
    assert outcome.code == 0
    assert "\\u65e5" in outcome.out


def test_the_explanation_on_a_terminal_is_the_same_text_in_colours() -> None:
    text = metadata(enableRowTracking="true")
    seen = on_terminal("explain", stdin=text)
    assert "\x1b[" in seen
    assert without_colours(seen) == run("explain", stdin=text).out


@pytest.mark.parametrize("columns", [80, 120, 300])
def test_the_table_of_features_fits_the_terminal(columns: int) -> None:
    seen = without_colours(on_terminal("features", columns=columns))
    assert max(map(len, seen.splitlines())) <= columns
    for name in ("adaptiveMetadata-preview", "materializePartitionColumns", "redirectReaderWriter-preview"):
        assert re.search(rf"^ {name} ", seen, re.MULTILINE)


@pytest.mark.parametrize("arguments", ["features", "clients", "clients trino@468"])
def test_a_narrow_terminal_gets_paragraphs_of_words(arguments: str) -> None:
    seen = without_colours(on_terminal(*arguments.split(), columns=40)).splitlines()
    wide = [line for line in seen if len(line) > 40]
    assert all(len(line.split()) <= 2 for line in wide)  # a name or an address that is longer stays whole
    assert sum(len(line.strip()) <= 2 for line in seen if line.strip()) < 5
    assert len(seen) < 400


def test_an_error_on_a_terminal_is_coloured_and_points_to_its_page() -> None:
    seen = on_terminal("resolve", "--protocol", "3,6", stdin=metadata())
    assert "\x1b[31m" in seen
    assert "deltaresolver explain DR102" in without_colours(seen)


def test_colours_can_be_refused() -> None:
    assert "\x1b" not in on_terminal("explain", stdin=metadata(), NO_COLOR="1")
    assert "\x1b" not in on_terminal("features", "rowTracking", TERM="dumb")
    assert "\x1b" not in on_terminal("resolve", stdin="", NO_COLOR="1")


@pytest.mark.parametrize("closing", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_runs_with_closed_streams(closing: str) -> None:
    shell = f"exec {closing}; {shlex.join((*COMMAND, 'explain', 'DR204'))}; exit $(($? + 100))"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (100, "")


def test_a_closed_stdin_counts_as_empty() -> None:
    shell = f"exec <&-; {shlex.join((*COMMAND, 'resolve'))}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "error DR101: standard input is empty." in done.stderr


def test_json_on_a_terminal_has_no_colours() -> None:
    assert "\x1b" not in on_terminal("features", "--json")


def test_a_missing_input_at_a_terminal_is_reported_at_once() -> None:
    master, terminal = pty.openpty()
    command = [*COMMAND, "resolve"]
    done = subprocess.run(command, stdin=terminal, capture_output=True, text=True, timeout=60, check=False)
    os.close(terminal)
    os.close(master)
    assert done.returncode == 2
    assert "error DR109: There is nothing to work on" in done.stderr


LOADED_BY_HELP = """
import sys
from deltaresolver.cli.main import run
run(["--help"])
slow = {"networkx", "pluggy", "msgspec", "attr", "rich", "pyarrow", "numpy", "pyspark"}
print(sorted(slow & {name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def test_the_overview_loads_nothing_slow() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED_BY_HELP], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"


def test_resolving_from_stdin_does_not_load_arrow() -> None:
    program = "import sys; from deltaresolver.cli.main import run; run(['resolve']); sys.exit('pyarrow' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], input=metadata(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
