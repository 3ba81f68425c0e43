"""What the demo is about: a small lake, with rows if Spark writes it, and what deltaresolver answers about it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs
import pyarrow as pa

from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.report import write_html
from deltaresolver.audit.scan.runners import InProcess
from deltaresolver.cli.demo.plugin import PROPERTY, install_plugin
from deltaresolver.clients.evidence import Outcome
from deltaresolver.model.facts.keys import CHANGE_DATA_FEED, CONSTRAINT_PREFIX, DELETION_VECTORS, MAPPING_MODE
from deltaresolver.planning.impact import Direction, Impact
from deltaresolver.planning.plan import Plan, plan
from deltaresolver.planning.render.impact import render_impact, sentence
from deltaresolver.planning.render.plan import render_plan, summary
from deltaresolver.planning.table_impact import impact
from deltaresolver.resolution.explain.phrases import pair
from deltaresolver.resolution.reasons import AlreadySupportedReason
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.table import Table

CLIENT = "trino@413"
QUESTION = {DELETION_VECTORS: "true"}

PROPERTIES: Mapping[str, Mapping[str, str]] = {
    "plain": {},
    "checked": {f"{CONSTRAINT_PREFIX}positive": "total > 0"},
    "changes": {CHANGE_DATA_FEED: "true"},
    "deleted": {DELETION_VECTORS: "true"},
    "renamed": {MAPPING_MODE: "name"},
    "stranger": {PROPERTY: "true"},
}
"""The tables by name, each with the properties that make it different; the last uses a third party's feature."""

Progress = Callable[[str], None]


@attrs.frozen(slots=True)
class DemoLake:
    """The tables by name, and whether they have rows."""

    folder: Path
    tables: Mapping[str, Path]
    has_rows: bool


@attrs.frozen(slots=True)
class Telling:
    """What the demo tells: one line for each table, the lines of each answer, and the files that have it in full."""

    reasons: Mapping[str, str]
    impact: tuple[str, ...]
    plan: tuple[str, ...]
    audit: tuple[str, ...]
    texts: Path
    report: Path


def build_lake(folder: Path, progress: Progress | None = None, *, with_rows: bool = True) -> DemoLake:
    """Build the lake anew below `folder`; what an earlier demo left there is replaced.

    Raises `PackageMissingError`, `SparkNotStartedError`, and what writing raises.
    """
    told = progress or _nobody
    for old in ("lake", "audit.work", "plugin"):
        shutil.rmtree(folder / old, ignore_errors=True)
    install_plugin(folder / "plugin")
    paths = {name: folder / "lake" / name for name in PROPERTIES}
    if with_rows:
        # By name, because it starts Spark.
        from deltaresolver.spark import demo_lake as spark_lake

        spark_lake.build_demo_lake(paths, PROPERTIES, told, folder / "spark.log")
    else:
        schema = pa.schema([("order_id", pa.int64()), ("country", pa.string()), ("total", pa.decimal128(12, 2))])
        for name, path in paths.items():
            Table.create(path, schema, properties=PROPERTIES[name])
    return DemoLake(folder, paths, with_rows)


def _nobody(what: str) -> None:
    """Report progress to nobody."""


def tell_all(lake: DemoLake) -> Telling:
    """Ask everything, and write the long answers to files."""
    resolutions = {name: Table(path).resolve() for name, path in lake.tables.items()}
    changed = impact(Table(lake.tables["plain"]), QUESTION)
    way_back = plan(Table(lake.tables["deleted"]), f"{CLIENT}:append")
    audit, report = _audit(lake)
    texts = lake.folder / "explanations.txt"
    parts = [f"=== {name} ===\n\n{one.explain(table=name)}" for name, one in resolutions.items()]
    parts += [f"=== Who breaks ===\n\n{render_impact(changed)}", f"=== The way back ===\n\n{render_plan(way_back)}"]
    texts.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return Telling(
        {name: _why(one) for name, one in resolutions.items()},
        tuple(_impact_lines(changed)),
        tuple(_plan_lines(way_back)),
        audit,
        texts,
        report,
    )


def _why(resolution: Resolution) -> str:
    """The protocol of a table, and which property or column it is for."""
    because = [
        f"{feature}: {reason}"
        for feature, reasons in resolution.reasons.items()
        for reason in reasons
        if not isinstance(reason, AlreadySupportedReason)
    ]
    return f"{pair(resolution.protocol)}  {'; '.join(because) or 'what every new table gets'}"


def _impact_lines(found: Impact) -> Iterator[str]:
    """The headline, then the clients that are worse off, those that do harm without an error first and in full."""
    yield render_impact(found).lstrip().partition("\n")[0]
    lost = [change for change in found.changes if change.direction is Direction.LOSS]
    wrong = {change.client: change for change in lost if change.after.outcome is Outcome.SILENTLY_WRONG}
    yield from (f"!! {sentence([change])}" for change in wrong.values())
    for outcome, verdict in ((Outcome.REFUSES, "locked out"), (Outcome.UNKNOWN, "not known to work any more")):
        clients = dict.fromkeys(change.client for change in lost if change.after.outcome is outcome)
        if clients:
            yield f"{verdict}: {', '.join(clients)}"


def _plan_lines(found: Plan) -> Iterator[str]:
    yield summary(found)
    for number, step in enumerate(found.steps, start=1):
        yield f"{number}. {step.title}"
    yield from found.reasons


def _audit(lake: DemoLake) -> tuple[tuple[str, ...], Path]:
    report = lake.folder / "report.html"
    audited = audit_lake(
        AuditRequest(roots=(str(lake.folder / "lake"),), clients=(CLIENT,)),
        InProcess(),
        lake.folder / "audit.work",
        lake.folder / "audit.json",
    )
    write_html(audited.document, report)
    head = audited.document.head
    by_severity = ((count, severity) for severity, count in sorted(head.summary.by_severity.items()) if count)
    found = ", ".join(f"{count} {severity}" for count, severity in by_severity)
    lines = [f"{head.summary.tables} tables, {head.summary.broken} unreadable; findings: {found or 'none'}"]
    for one in head.summary.unlocks:
        act = "append to" if one.act == "append" else one.act
        lines.append(f"{one.release} can {act} {one.works} of them, and cannot {act} {one.locked_out}")
    return tuple(lines), report
