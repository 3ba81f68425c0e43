"""The program of a seed with statements woven in: SQL instead of calls, and upkeep of the table between its changes.

The program without them stays what it was, so that seeds of earlier runs keep their meaning.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import attrs

from tests.differential.kinds import length_of
from tests.differential.program import (
    DDL,
    SOURCE,
    SQL,
    WRITE,
    Clone,
    Column,
    Convert,
    Create,
    Optimize,
    OverwritePartitions,
    Probe,
    Program,
    Reorg,
    ReplaceWhere,
    Restart,
    Restore,
    Settings,
    Step,
    Vacuum,
    quoted,
)

_SEEDS = 0x5_0_1
BY_SQL, BETWEEN = 0.5, 0.45
"""How many of the steps are said in SQL, and behind how many the table is seen to."""
NO_PARTITION = ("TIMESTAMP", "TIMESTAMP_NTZ", "DOUBLE", "FLOAT")
"""Types whose values a folder's name does not keep: moments that come twice, and -0.0."""
NO_ORDER = ("BOOLEAN", "BINARY")
"""Types without statistics, by which delta-spark does not order."""


def woven(program: Program) -> Program:
    """The program with statements, always the same for the same seed."""
    chance = random.Random(f"{_SEEDS} {program.seed}")
    steps: list[Step] = []
    is_vacuumed = False
    create = next(step for step in program.steps if isinstance(step, Create))
    for place, step in enumerate(program.steps):
        said = _said(chance, step)
        # By their places, rows would need a value for the numbers that the table gives.
        steps.append(step if create.identity is not None and isinstance(step, ReplaceWhere) else said)
        if isinstance(step, Create | Settings | Restart | Probe) or chance.random() >= BETWEEN:
            continue
        is_last = place == len(program.steps) - 1
        later = program.steps[place + 1 :]
        goes_back = any(isinstance(each, Restore) for each in later)
        seen_to = _upkeep(chance, create, goes_back=goes_back, may_travel=is_last and not is_vacuumed)
        is_vacuumed = is_vacuumed or (isinstance(seen_to, Vacuum) and not seen_to.retains)
        steps.append(seen_to)
    return attrs.evolve(program, steps=tuple(steps))


def _said(chance: random.Random, step: Step) -> Step:
    """The step in SQL, if it has a statement and chance wants it."""
    way = getattr(step, "way", None)
    if way is None or way in (DDL, SOURCE) or isinstance(step, OverwritePartitions) or chance.random() >= BY_SQL:
        return step
    given: Any = step
    said: Step = attrs.evolve(given, way=SQL)
    return said


def _upkeep(chance: random.Random, create: Create, *, goes_back: bool, may_travel: bool) -> Step:
    way = chance.choice((WRITE, SQL))
    roll = chance.random()
    if roll < 0.3:
        return Clone(chance.randint(0, 2) if may_travel else 0, way)
    if roll < 0.45:
        parts = _partitioning(create)
        if parts is not None:
            return Convert(parts, way)
    if roll < 0.6:
        return Vacuum(goes_back or chance.random() < 0.4, chance.random() < 0.3, way)
    if roll < 0.75:
        return Reorg(way)
    columns = [each for each in create.columns if each.name not in create.partition_by and each.type not in NO_ORDER]
    first = columns[0].name if columns and chance.random() < 0.5 else None
    return Optimize(order_by=() if first is None else (first,), way=way)


def _partitioning(create: Create) -> tuple[str, ...] | None:
    """The partition columns with their types; None where folders do not keep them."""
    by_name: dict[str, Column] = {column.name: column for column in create.columns}
    parts: Sequence[Column] = [by_name[name] for name in create.partition_by]
    if any(part.type in NO_PARTITION for part in parts) or any(length_of(each.type) for each in create.columns):
        return None  # a declared length is not in the files
    if create.identity is not None:
        return None  # and its columns are made no more
    return tuple(f"{quoted(part.name)} {part.type}" for part in parts)
