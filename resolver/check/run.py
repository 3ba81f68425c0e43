"""A check from the files it is given to its result."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path

import attrs

from deltaresolver.check.baseline import Baseline
from deltaresolver.check.found import Borne, CheckFinding, CheckResult, ProposedChange
from deltaresolver.check.judge import Judge, judged_by_lake
from deltaresolver.check.sources import dbt
from deltaresolver.check.sources.metadata_files import read_json
from deltaresolver.check.sources.proposal import Proposal, SettingProposal
from deltaresolver.check.sources.scripts import read_script
from deltaresolver.check.steps import ProposedStep, steps
from deltaresolver.check.tables import KnownTables
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.defaults import default_catalog
from deltaresolver.errors import CheckFileError, DeltaResolverError
from deltaresolver.planning.lake.lake import Lake, TablePlace
from deltaresolver.resolution.explain.phrases import pair

_PASSED_OVER = frozenset({"_delta_log", "dbt_packages", "node_modules", "__pycache__"})
_ENDINGS = (".sql", ".ddl", ".yml", ".yaml", ".json")
MAX_BYTES = 50_000_000
"""A larger file is not metadata, nor a manifest of dbt."""
MAX_SCRIPT_BYTES = 5_000_000
"""A larger file is not a script."""


@attrs.frozen(slots=True)
class CheckRequest:
    """What is checked, and against what.

    paths     files and folders, as they are to be called in findings
    named     tables by name, beside those that the lake.toml names
    required  clients that must go on working with every table
    """

    paths: tuple[str, ...]
    lake: Lake
    named: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    required: tuple[str, ...] = ()
    storage: Mapping[str, str] = attrs.field(factory=dict, repr=False, hash=False)
    session: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    baseline: Baseline = attrs.field(factory=Baseline)


def check(request: CheckRequest, knowledge: ClientKnowledge, today: date) -> CheckResult:
    """The result.

    Raises `CheckFileError` for a file that was named and cannot be read, `PackageMissingError` for YAML about tables
    without PyYAML, and as `kept_clients`.
    """
    lake = request.lake
    files = list(_files(request.paths))
    proposals = [one for file in files for one in _proposals(file)]
    tables = KnownTables(default_catalog(), lake, request.named, request.storage)
    judge = Judge(lake, knowledge, request.required)
    findings: list[CheckFinding] = []
    borne: list[Borne] = []
    changes: list[ProposedChange] = []
    for step in steps(proposals, tables, {**dict(lake.session), **request.session}):
        changes += _changes(step)
        for one in judged_by_lake(judge.findings(step), lake):
            reason = _why_borne(one, step, request, today)
            if reason is None:
                findings.append(one)
            else:
                borne.append(Borne(one, reason))
    required = dict.fromkeys((*request.required, *(text for one in lake.clients for text in one.texts)))
    return CheckResult(
        tuple(dict.fromkeys(findings)),
        tuple(borne),
        tuple(changes),
        len(files),
        sum(not isinstance(one, SettingProposal) for one in proposals),
        tuple(required),
    )


def _why_borne(one: CheckFinding, step: ProposedStep, request: CheckRequest, today: date) -> str | None:
    place = TablePlace(one.table, (one.table,)) if step.known is None else step.known.place
    waiver = request.lake.waiver(one.rule, place, today)
    if waiver is not None:
        return waiver.reason
    return "it is in the baseline" if one.fingerprint in request.baseline.fingerprints else None


def _changes(step: ProposedStep) -> Iterator[ProposedChange]:
    if step.after is None or step.known is None:
        return
    before = frozenset[str]() if step.before is None else step.before.supported
    after = step.after.supported
    start = None if step.before is None else pair(step.before.protocol)
    added, removed = tuple(sorted(after - before)), tuple(sorted(before - after))
    if start is None or added or removed:
        yield ProposedChange(step.place, step.known.name, start, pair(step.after.protocol), added, removed)


def _files(paths: Iterable[str]) -> Iterator[str]:
    """The files to look into, each once: those named, and those below folders, in order."""
    seen: set[str] = set()
    for path in paths:
        if not os.path.exists(path):  # noqa: PTH110 - stays text, as findings call it
            raise _unreadable(path, "there is no such file or folder")
        for file in _below(path) if Path(path).is_dir() else (path,):
            if file not in seen:
                seen.add(file)
                yield file


def _below(folder: str) -> Iterator[str]:
    """Scripts in a folder. Raises `CheckFileError` for a link out of it that leaves the working directory too.

    A pull request may have put it there, to have somebody's file shown or a change of its own passed over.
    """
    roots = [os.path.realpath(root).rstrip(os.sep) + os.sep for root in (folder, os.curdir)]
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _PASSED_OVER and not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(_ENDINGS):
                full = os.path.join(place, name)  # noqa: PTH118 - stays text
                if not os.path.realpath(full).startswith(tuple(roots)):
                    raise _unreadable(full, "it is a link to a file outside of what is checked")
                yield os.path.normpath(full)


def _proposals(file: str) -> Iterator[Proposal]:
    """What a file proposes. Raises `CheckFileError`, and `PackageMissingError` for YAML that nobody here can read."""
    called = Path(file).as_posix()
    ending = file.lower().rpartition(".")[2]
    text = _text(file)
    if ending in ("yml", "yaml"):
        if dbt.is_about_tables(text):
            yield from dbt.read_yaml(called, text)
    elif ending == "json":
        try:
            yield from read_json(called, text)
        except DeltaResolverError as error:
            raise CheckFileError(
                f"{called} cannot be used: {error.message}",
                fix=error.fix or "Correct the file, or leave it out of the check.",
                details={"file": called, "code": error.code},
            ) from error
    else:
        yield from dbt.read_config(called, text)
        yield from read_script(called, text)


def _text(file: str) -> str:
    most = MAX_BYTES if file.lower().endswith(".json") else MAX_SCRIPT_BYTES
    try:
        # Without waiting: a pipe has a name too, and nobody may ever write to it.
        with open(file, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise _unreadable(file, "it is not a file")
            data = opened.read(most + 1)
        if len(data) > most:
            raise _unreadable(file, f"it is larger than {most:,} bytes")
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise _unreadable(file, f"it is not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise _unreadable(file, error.strerror or str(error)) from error


def _unreadable(file: str, reason: str) -> CheckFileError:
    return CheckFileError(
        f"{file} cannot be checked: {reason}.",
        fix="Name files and folders that can be read, and leave out what is not a script.",
        details={"file": file, "reason": reason},
    )
