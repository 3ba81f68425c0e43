"""How well the verdicts on clients foretell what clients did.

    python -m tests.client_verdicts [RUNS.json.gz ...] [OPTIONS]

RUNS hold recorded runs; left out, every file of them in ../shared and tests/recorded is taken. A run is judged by what
is shipped (`--without-shipped`: by rules alone), or with `--each` by what is shipped without the release it is about.
`--each-table` leaves out the tables of the same demands instead, as for a table that nobody measured.
`--aside only` takes the third of releases that is kept aside while rules are written, `--aside without` the rest.
Which third that is follows from the names of the releases alone. `--by-log` knows of tables only what their logs tell.

Printed: agreement by client, how truth and verdict meet, the share of *works* that carry a warning, and what is wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from deltaresolver.clients.evidence import Outcome
from deltaresolver.clients.measured.measurements import Measurements
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from tests.client_runs import Judged, Observation, judge, needs_of_tables, observations, run_files, tables_archive

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Measure and print; 1 where a run was foretold wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path)
    parser.add_argument("--aside", choices=("only", "without"))
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--each-table", action="store_true")
    parser.add_argument("--without-shipped", action="store_true")
    parser.add_argument("--by-log", action="store_true")
    parser.add_argument("--show", type=int, default=20)
    given = parser.parse_args()
    files = given.runs or run_files(ROOT)
    archive = tables_archive(ROOT)
    if not files or archive is None:
        print("There are no recorded runs: ../shared is missing, and so is tests/recorded.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        needs = needs_of_tables(archive, Path(folder), by_log=given.by_log)
    seen = [one for one in observations(files) if given.aside is None or is_aside(one) == (given.aside == "only")]
    known = default_knowledge()
    shipped = Measurements() if given.without_shipped else known.measurements
    knowledge = ClientKnowledge(known.catalogue, shipped)
    if given.each_table:
        judged = list(judge_without_tables(seen, needs, knowledge))
    else:
        judged = list(judge_all(seen, needs, knowledge, each=given.each))
    report(judged, given.show)
    return 1 if any(one.is_wrong for one in judged) else 0


def is_aside(seen: Observation) -> bool:
    """Whether the release is one of the third kept aside; the same on every machine."""
    name = f"{seen.release.client.id} {seen.release.version.text.partition(' ')[0]}"
    return hashlib.sha256(name.encode()).digest()[0] % 3 == 0


def judge_all(
    seen: Iterable[Observation], needs: Mapping[str, TableNeeds], known: ClientKnowledge, *, each: bool
) -> Iterator[Judged]:
    """The verdicts; with `each`, by what is known without the release."""
    by_release: dict[tuple[str, str], list[Observation]] = {}
    for one in seen:
        by_release.setdefault((one.release.client.id, str(one.release.version)), []).append(one)
    for group in by_release.values():
        release = group[0].release
        kept = known.measurements.without(release.client.id, release.version) if each else known.measurements
        yield from judge(group, needs, ClientKnowledge(known.catalogue, kept))


def judge_without_tables(
    seen: Iterable[Observation], needs: Mapping[str, TableNeeds], known: ClientKnowledge
) -> Iterator[Judged]:
    """The verdicts on each table by what is known without tables of its demands."""
    by_demands: dict[frozenset[str], list[Observation]] = {}
    for one in seen:
        by_demands.setdefault(needs[one.table].demands, []).append(one)
    for demands, group in by_demands.items():
        kept = known.measurements.without_demands(demands)
        yield from judge(group, needs, ClientKnowledge(known.catalogue, kept))


def report(judged: list[Judged], show: int) -> None:
    """Print what came of it."""
    wrong = [one for one in judged if one.is_wrong]
    releases = {str(one.seen.release) for one in judged}
    print(f"{len(judged):,} acts of {len(releases)} releases; {1 - len(wrong) / max(len(judged), 1):.3%} agree")
    for client in sorted({one.seen.release.client.id for one in judged}):
        parts = [_agreement([one for one in judged if one.seen.release.client.id == client])]
        print(f"  {client:18} {' '.join(parts)}")
    works = [one for one in judged if one.verdict.works]
    warned = [one for one in works if one.verdict.warning]
    print(f"works with a warning: {len(warned):,} of {len(works):,} ({len(warned) / max(len(works), 1):.2%})")
    for reason, many in Counter(" ".join(one.verdict.warning.split()[-5:]) for one in warned).most_common(8):
        print(f"  {many:5} ... {reason}")
    met = Counter((one.seen.outcome.value, one.verdict.outcome.value) for one in judged)
    for (truth, told), many in met.most_common():
        print(f"  truth {truth:15} verdict {told:15} {many:,}")
    unnamed = [one for one in judged if one.seen.outcome is Outcome.SILENTLY_WRONG and one.is_wrong]
    print(f"silently wrong and not called so: {len(unnamed)}")
    for one in wrong[:show]:
        print(f"  {one}")


def _agreement(judged: list[Judged]) -> str:
    good = sum(not one.is_wrong for one in judged)
    return f"{good:,} of {len(judged):,} ({good / len(judged):.2%})"


if __name__ == "__main__":
    sys.exit(main())
