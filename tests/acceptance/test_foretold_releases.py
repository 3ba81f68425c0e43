"""Releases that nobody had measured: the predicted verdicts agree with what a probe found afterwards."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from deltaresolver.clients.measured.measured_runs import CODES

ACTS = ("open", "read", "append")


def test_predictions_agree_with_what_a_probe_found(root: Path) -> None:
    recorded = root / "tests" / "recorded"
    foretold = json.loads((recorded / "probe_predictions.json").read_text(encoding="utf-8"))["releases"]
    runs = json.loads(gzip.decompress((recorded / "measured-probed.json.gz").read_bytes()))["runs"]
    asked, wrong = 0, []
    for run in runs:
        by_path = run["client"] in ("delta-rs-python", "delta-spark")
        name = f"{run['client']}/{run['engine']}@{run['version']}" if by_path else ""
        expected = foretold.get(name or f"{run['client']}@{run['version']} ({run['engine']})")
        if expected is None:
            continue
        for act, code in zip(ACTS, expected[run["table"]], strict=True):
            if run[act] is not None:
                asked += 1
                if CODES[run[act]] != code:
                    wrong.append(f"{name} {run['table']} {act}: {run[act]}, foretold {code}")
    print(f"{1 - len(wrong) / asked:.3%} of {asked} acts of {len(foretold)} releases and paths came out as foretold")
    assert asked > 11 * 300
    assert len(wrong) <= 0.005 * asked, wrong
