"""The results of a probe as files: written, checked and read again.

    {"format": "deltaresolver-probe/1", "measured": "2026-11-19", "by": ..., "machine": ..., "client": ...,
     "version": ..., "engine": ..., "packages": {...},
     "runs": [{"table", "demands", "open", "read", "append", "why"}]}

An outcome is `ok`, `refused`, `crash`, `wrong` or null where it was not tried. docs/probe.md describes the form.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from deltaresolver.clients.catalogue import ClientCatalogue
from deltaresolver.clients.evidence import Act
from deltaresolver.clients.measured.measured_runs import CODES, run_path, run_version
from deltaresolver.clients.measured.measurements import MeasuredRelease, Measurements
from deltaresolver.clients.table_needs import DETAILS
from deltaresolver.errors import MeasurementsUnreadableError, PlanningError

FORMAT = "deltaresolver-probe/1"
_TEXTS = ("measured", "by", "client", "version", "engine")
_PREFIXES = ("reader", "writer", "reads", "writes", "uses")


def store(result: Mapping[str, Any], folder: Path) -> Path:
    """Write a result; an earlier one of the same release is replaced as a whole or not at all. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = (result["client"], result["version"], result["engine"], result["measured"])
    name = "-".join("".join(c if c.isalnum() or c == "." else "_" for c in part) for part in parts)
    path, draft = folder / f"{name}.json", folder / f".{name}.{os.getpid()}"
    draft.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    draft.replace(path)
    return path


def kept_results(folder: Path) -> Iterator[dict[str, Any]]:
    """Every result in a folder, oldest first. Raises `MeasurementsUnreadableError`."""
    if folder.is_dir():
        found = [read_result(path) for path in sorted(folder.glob("*.json"))]
        yield from sorted(found, key=lambda one: str(one["measured"]))


def read_result(path: Path) -> dict[str, Any]:
    """One result, checked. Raises `MeasurementsUnreadableError`."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(path, [f"it cannot be read: {error}"]) from error
    problems = list(problems_of(value))
    if problems:
        raise _unreadable(path, problems)
    assert isinstance(value, dict)
    return value


def _unreadable(path: Path, problems: Sequence[str]) -> MeasurementsUnreadableError:
    return MeasurementsUnreadableError(
        f"{path} has measurements that cannot be used: {'; '.join(problems[:5])}.",
        fix="Correct the file as docs/probe.md describes, or delete it and measure again with `deltaresolver probe`.",
        details={"path": str(path), "problems": list(problems)},
    )


def problems_of(value: Any) -> Iterator[str]:
    """A sentence for each mistake of a result."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        yield f"format must be {FORMAT!r}"
        return
    for key in _TEXTS:
        if not isinstance(value.get(key), str) or not value[key]:
            yield f"{key} must be text, found {value.get(key)!r}"
    try:
        date.fromisoformat(str(value.get("measured")))
    except ValueError:
        yield f"measured must be a day such as 2026-11-19, found {value.get('measured')!r}"
    runs = value.get("runs")
    if not isinstance(runs, list):
        yield f"runs must be a list, found {runs!r}"
        return
    for position, run in enumerate(runs, start=1):
        yield from (f"run {position}: {problem}" for problem in _problems_of_run(run))


def _problems_of_run(run: Any) -> Iterator[str]:
    if not isinstance(run, dict):
        yield f"must be a table, found {run!r}"
        return
    demands = run.get("demands")
    if not isinstance(demands, list) or not all(isinstance(one, str) for one in demands):
        yield f"demands must be a list of texts, found {demands!r}"
    else:
        yield from (f"no table demands {one!r}" for one in demands if not _is_demand(one))
    for act in Act:
        outcome = run.get(act.value)
        if not isinstance(outcome, str | None) or outcome not in CODES:
            yield f"{act.value} must be one of ok, refused, crash, wrong or null, found {outcome!r}"


def _is_demand(text: str) -> bool:
    kind, colon, name = text.partition(":")
    return text in DETAILS or (bool(colon and name) and kind in _PREFIXES)


def with_results(known: Measurements, results: Sequence[Mapping[str, Any]], catalogue: ClientCatalogue) -> Measurements:
    """The measurements with these results, which replace earlier ones of the same release and demands.

    Of two tables with the same demands the worse outcome counts. Results on unknown clients are left out.
    """
    sets = list(known.demand_sets)
    at = dict(known.positions)
    for result in results:
        for run in result["runs"]:
            demands = frozenset(run["demands"])
            if demands not in at:
                at[demands] = len(sets)
                sets.append(demands)
    blank = "-" * (len(sets) - len(known.demand_sets))
    releases = {
        where: [_longer(one, blank) for one in measured] if blank else list(measured)
        for where, measured in known.releases.items()
    }
    for result in results:
        _add(result, releases, at, len(sets), catalogue)
    ordered = {where: tuple(sorted(found, key=lambda one: one.order)) for where, found in releases.items()}
    return Measurements(tuple(sets), ordered)


def _longer(release: MeasuredRelease, blank: str) -> MeasuredRelease:
    codes = {act: codes + blank for act, codes in release.codes.items()}
    return MeasuredRelease(release.version, codes, release.measured, release.by)


def _add(
    result: Mapping[str, Any],
    releases: dict[tuple[str, str], list[MeasuredRelease]],
    at: Mapping[frozenset[str], int],
    size: int,
    catalogue: ClientCatalogue,
) -> None:
    try:
        client = catalogue.get(result["client"])
        version = client.version(run_version(client.id, result["version"], result["engine"]))
    except PlanningError:
        return
    path = run_path(result["engine"])
    where = client.id, path if path in client.paths else client.default_path(version)
    same = [one for one in releases.get(where, ()) if one.version.order == version.order]
    codes = {act: list(same[0].codes[act] if same else "-" * size) for act in Act}
    for act in Act:
        found: dict[int, str] = {}
        for run in result["runs"]:
            code, place = CODES[run[act.value]], at[frozenset(run["demands"])]
            if code != "-":
                found[place] = max(found.get(place, "-"), code, key="-orw".index)
        for place, code in found.items():
            codes[act][place] = code
    kept = [one for one in releases.get(where, ()) if one not in same]
    measured = MeasuredRelease(
        version, {act: "".join(found) for act, found in codes.items()}, result["measured"], result["by"]
    )
    releases[where] = [*kept, measured]
