"""The verdicts against runs of real clients on real tables.

A verdict is asked for with a table's protocol, metadata and facts. Which table it was decides only what is compared.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import attrs
import pytest

from deltaresolver.clients.catalogue import ClientCatalogue
from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.measured.measurements import Measurements
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.clients.versions import ClientVersion
from tests.archives import unpack
from tests.client_runs import TRUTH, Observation, judge, observations, run_files, tables_archive
from tests.log_reading import read_table


@pytest.fixture(scope="module")
def tables(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = tables_archive(root)
    if archive is None:
        pytest.skip("../shared is missing, and cannot be installed")
    folder = tmp_path_factory.mktemp("client-tables")
    unpack(archive, folder)
    inside = folder / "client-tables"
    return inside if inside.is_dir() else folder


@pytest.fixture(scope="module")
def needs(tables: Path) -> Mapping[str, TableNeeds]:
    return {table.name: TableNeeds.of(*read_table(table)) for table in sorted(tables.iterdir())}


@pytest.fixture(scope="module")
def observed(root: Path) -> tuple[Observation, ...]:
    """Every act of every recorded run that is here."""
    return tuple(observations(run_files(root)))


def test_verdicts_agree_with_every_run(observed: tuple[Observation, ...], needs: Mapping[str, TableNeeds]) -> None:
    judged = list(judge(observed, needs, default_knowledge()))
    assert len(judged) > 500
    assert [str(one) for one in judged if one.is_wrong] == []


def test_each_verdict_on_a_run_says_that_it_was_measured(
    observed: tuple[Observation, ...], needs: Mapping[str, TableNeeds]
) -> None:
    knowledge = default_knowledge()
    ranks = {knowledge.verdict(seen.release, needs[seen.table], seen.act).evidence.rank for seen in observed}
    assert ranks == {Rank.MEASURED}


def test_shipped_measurements_name_no_table(needs: Mapping[str, TableNeeds]) -> None:
    data = Path(__file__).parents[2] / "resolver" / "clients" / "data"
    shipped = gzip.decompress((data / "measured.json.gz").read_bytes()).decode() + "".join(
        path.read_text(encoding="utf-8") for path in data.glob("*.json")
    )
    assert [name for name in needs if name in shipped] == []


def read_in_source_only(catalogue: ClientCatalogue) -> ClientCatalogue:
    """The catalogue without rules that somebody inferred, so without any that owes itself to the runs.

    A client of which nothing else is known keeps its own.
    """
    return ClientCatalogue.of(
        client
        if client.knowledge is Rank.INFERRED
        else attrs.evolve(client, gates=tuple(gate for gate in client.gates if gate.rank is not Rank.INFERRED))
        for client in catalogue
    )


@attrs.frozen
class Foretold:
    """How verdicts reached without the runs they are about compare with those runs."""

    asked: int
    wrong: tuple[str, ...]
    unwarned: tuple[str, ...]
    """Silently wrong in truth, and foretold to work without a warning."""
    works: int
    warned: int
    """Foretold to work, and of these with a warning."""

    @property
    def agreement(self) -> float:
        """The part that agrees."""
        return 1 - len(self.wrong) / self.asked


def foretold(
    groups: Iterable[tuple[Measurements, Sequence[Observation]]],
    needs: Mapping[str, TableNeeds],
    catalogue: ClientCatalogue,
) -> Foretold:
    """Each group judged by the measurements beside it."""
    asked, works, warned, wrong, unwarned = 0, 0, 0, [], []
    for measurements, group in groups:
        knowledge = ClientKnowledge(catalogue, measurements)
        for seen in group:
            asked += 1
            release = attrs.evolve(seen.release, client=catalogue.get(seen.release.client.id))
            verdict = knowledge.verdict(release, needs[seen.table], seen.act)
            works += verdict.works
            warned += verdict.works and verdict.warning != ""
            told = f"{seen.release} {seen.act.value} {seen.table}: {verdict.outcome.value}, not {seen.outcome.value}"
            if verdict.outcome is not seen.outcome:
                wrong.append(told)
            if seen.outcome is Outcome.SILENTLY_WRONG and verdict.works and not verdict.warning:
                unwarned.append(told)
    return Foretold(asked, tuple(wrong), tuple(unwarned), works, warned)


def without_neighbours(
    observations: Iterable[Observation], measurements: Measurements, many: int
) -> Iterator[tuple[Measurements, Sequence[Observation]]]:
    """Every run of `many` releases of a client that follow each other, and the measurements of all others."""
    by_release: dict[str, dict[ClientVersion, list[Observation]]] = {}
    for seen in observations:
        releases = by_release.setdefault(seen.release.client.id, {})
        releases.setdefault(seen.release.version, []).append(seen)
    for client, releases in by_release.items():
        versions = sorted(releases)
        for first in range(max(1, len(versions) - many + 1)):
            left_out = versions[first : first + many]
            rest = reduce(lambda kept, version: kept.without(client, version), left_out, measurements)
            yield rest, [seen for version in left_out for seen in releases[version]]


@pytest.mark.parametrize(
    "many",
    [pytest.param(1, id="one release left out"), pytest.param(2, id="two neighbours left out", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("inferred_rules", [True, False], ids=["all rules", "rules read in source only"])
def test_each_release_is_predicted_by_the_others(
    inferred_rules: bool, many: int, observed: tuple[Observation, ...], needs: Mapping[str, TableNeeds]
) -> None:
    known = default_knowledge()
    catalogue = known.catalogue if inferred_rules else read_in_source_only(known.catalogue)
    found = foretold(without_neighbours(observed, known.measurements, many), needs, catalogue)
    print(f"{many} left out: {found.agreement:.4%} of {found.asked} agree")
    assert found.agreement >= (0.999 if inferred_rules else 0.995), found.wrong[:20]
    assert found.unwarned == ()
    assert not inferred_rules or found.warned <= 0.05 * found.works


@pytest.mark.slow
@pytest.mark.parametrize("inferred_rules", [True, False], ids=["all rules", "rules read in source only"])
def test_each_table_is_predicted_by_the_others(
    inferred_rules: bool, observed: tuple[Observation, ...], needs: Mapping[str, TableNeeds]
) -> None:
    known = default_knowledge()
    catalogue = known.catalogue if inferred_rules else read_in_source_only(known.catalogue)
    by_demands: dict[frozenset[str], list[Observation]] = {}
    for seen in observed:
        by_demands.setdefault(needs[seen.table].demands, []).append(seen)
    groups = ((known.measurements.without_demands(demands), alike) for demands, alike in by_demands.items())
    found = foretold(groups, needs, catalogue)
    print(f"leave one table out: {found.agreement:.4%} of {found.asked} agree")
    assert found.agreement >= (0.999 if inferred_rules else 0.995), found.wrong[:20]
    assert found.unwarned == ()
    assert not inferred_rules or found.warned <= 0.05 * found.works


def test_stated_claims_alone_predict_nearly_all_runs(
    observed: tuple[Observation, ...], needs: Mapping[str, TableNeeds]
) -> None:
    """So no verdict rests on a remembered run alone."""
    found = foretold([(Measurements(), observed)], needs, default_knowledge().catalogue)
    print(f"statements alone: {found.agreement:.4%} of {found.asked} agree")
    assert found.agreement >= 0.999, found.wrong[:20]
    assert found.unwarned == ()
    assert found.warned <= 0.05 * found.works


# --- the deltalake installed here, which nobody's runs above include --------------------------------


@pytest.fixture(scope="module")
def deltalake_acts(tables: Path, root: Path) -> dict[str, Any]:
    pytest.importorskip("deltalake", reason="deltalake is missing: run script/bootstrap")
    command = [sys.executable, "-m", "tests.peers.deltalake_acts", str(tables)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("act", ["open", "native read", "pyarrow read", "native append"])
def test_the_installed_deltalake_does_what_the_verdict_says(
    act: str, deltalake_acts: dict[str, Any], needs: Mapping[str, TableNeeds]
) -> None:
    path, _, verb = act.rpartition(" ")
    client = f"delta-rs-python/{path or 'native'}@{deltalake_acts['version']}"
    differences = {}
    for table, done in deltalake_acts["tables"].items():
        if act == "pyarrow read" and "uses:variantType" in needs[table].demands:
            continue  # decided by the PyArrow installed, which is no part of the version
        verdict = default_knowledge().verdict(client, needs[table], Act(verb))
        if verdict.outcome is not TRUTH[done[act]]:
            differences[table] = (verdict.outcome.value, done[act])
    assert differences == {}
