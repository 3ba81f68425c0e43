"""Recorded runs of real clients, and the verdicts on them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import attrs

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.measured.measured_runs import run_release
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.table import Table
from tests.archives import unpack
from tests.log_reading import read_table

TRUTH = {
    "ok": Outcome.WORKS,
    "refused": Outcome.REFUSES,
    "crash": Outcome.REFUSES,
    "wrong": Outcome.SILENTLY_WRONG,
}


@attrs.frozen
class Observation:
    """One act of one release on one table, and what came of it."""

    release: ClientAtVersion
    table: str
    act: Act
    outcome: Outcome


@attrs.frozen
class Judged:
    """An observation beside the verdict."""

    seen: Observation
    verdict: Verdict

    @property
    def is_wrong(self) -> bool:
        """Whether they differ."""
        return self.verdict.outcome is not self.seen.outcome

    def __str__(self) -> str:
        told = f"{self.verdict.outcome.value} ({self.verdict.evidence.rank.value}), not {self.seen.outcome.value}"
        warning = f" [{self.verdict.warning}]" if self.verdict.warning else ""
        return f"{self.seen.release} {self.seen.act.value} {self.seen.table}: {told}{warning}"


def run_files(root: Path) -> list[Path]:
    """Every file of recorded runs that is here."""
    places = (root.parent / "shared" / "facts", root / "tests" / "recorded")
    return [path for place in places for path in sorted(place.glob("measured*.json.gz"))]


def tables_archive(root: Path) -> Path | None:
    """The tables that the runs were made on."""
    found = root / "resolver" / "clients" / "probe" / "data" / "tables.tar.gz"
    shared = root.parent / "shared" / "conformance" / "client-tables.tar.gz"
    return next((path for path in (found, shared) if path.is_file()), None)


def needs_of_tables(archive: Path, folder: Path, *, by_log: bool = False) -> dict[str, TableNeeds]:
    """What each table demands, by its name; `folder` takes the tables. `by_log` asks by the log alone."""
    unpack(archive, folder)
    inside = folder / "client-tables"
    tables = inside if inside.is_dir() else folder
    found = {}
    for table in sorted(tables.iterdir()):
        protocol, metadata, facts = read_table(table)
        if by_log:
            facts = state_of_table(Table(str(table))).facts
        found[table.name] = TableNeeds.of(protocol, metadata, facts)
    return found


def observations(files: Iterable[Path]) -> Iterator[Observation]:
    """What was seen, act by act."""
    catalogue = default_knowledge().catalogue
    for path in files:
        for run in json.loads(gzip.decompress(path.read_bytes()))["runs"]:
            release = run_release(run["client"], run["version"], run["engine"], catalogue)
            for act in Act:
                if run[act.value] is not None:
                    yield Observation(release, run["table"], act, TRUTH[run[act.value]])


def judge(seen: Iterable[Observation], needs: Mapping[str, TableNeeds], knowledge: ClientKnowledge) -> Iterator[Judged]:
    """Each observation beside the verdict of this knowledge."""
    for one in seen:
        release = attrs.evolve(one.release, client=knowledge.catalogue.get(one.release.client.id))
        yield Judged(one, knowledge.verdict(release, needs[one.table], one.act))
