"""Which programs can meet a planted bug; the others behave as without it, so they pass without being run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tests.differential.program import (
    INSERT,
    UNSTABLE,
    WRITE,
    AddColumn,
    Append,
    Assignments,
    Create,
    Delete,
    DropColumn,
    Merge,
    Overwrite,
    OverwritePartitions,
    Program,
    RenameColumn,
    ReplaceWhere,
    Settings,
    Step,
    Update,
    WidenColumn,
)
from tests.differential.tables import FEED, NO_ZONE, TRACKING, VECTORS

Meets = Callable[[Program], bool]
_DOUBLED = re.compile(r"""'(?:[^'\\]|\\.)*''|"(?:[^"\\]|\\.)*\"\"""")


def has(*kinds: type[Step]) -> Meets:
    """A step of one of these kinds."""
    return lambda program: any(isinstance(step, kinds) for step in program.steps)


def tells(*texts: str) -> Meets:
    """A program in which all of these are written somewhere."""
    return lambda program: all(text in str(program) for text in texts)


def both(one: Meets, other: Meets) -> Meets:
    """What both say."""
    return lambda program: one(program) and other(program)


def parts(program: Program) -> tuple[str, ...]:
    """The partition columns."""
    return next((step.partition_by for step in program.steps if isinstance(step, Create)), ())


def is_hidden(program: Program) -> bool:
    """A folder of a partition begins with a letter that Spark's own begin with."""
    return any(name[0] in "_." for name in parts(program))


def is_doubled(program: Program) -> bool:
    """A quote is doubled inside a literal of a condition."""
    clauses = [clause for step in program.steps if isinstance(step, Merge) for clause in step.clauses]
    asked = [getattr(each, "condition", None) or "" for each in (*program.steps, *clauses)]
    return any(map(_DOUBLED.search, asked))


def inserts(program: Program) -> bool:
    """A MERGE has a clause that inserts."""
    merges = [step for step in program.steps if isinstance(step, Merge)]
    return any(clause.act == INSERT for merge in merges for clause in merge.clauses)


def is_parted(program: Program) -> bool:
    """There are partitions."""
    return bool(parts(program))


def overwrites(program: Program) -> bool:
    """The whole table, by a session that may."""
    return any(isinstance(step, Overwrite) and step.way == WRITE for step in program.steps)


def replaces_partitions(program: Program) -> bool:
    """By a step of that name, or because the session says so."""
    dynamic = any(isinstance(step, Settings) and step.dynamic for step in program.steps)
    return is_parted(program) and (dynamic or has(OverwritePartitions)(program))


def has_doubles(program: Program) -> bool:
    """A MERGE whose source has a key twice."""
    merges = [step for step in program.steps if isinstance(step, Merge)]
    keys = [[row[0] for row in merge.source.values if row[0] is not None] for merge in merges]
    return any(len(set(each)) < len(each) for each in keys)


def assigns_fields(program: Program) -> bool:
    """A field of a struct is assigned."""
    given: list[Assignments] = [step.values for step in program.steps if isinstance(step, Update)]
    for step in program.steps:
        if isinstance(step, Merge):
            given += [clause.values or () for clause in step.clauses]
    return any("`.`" in name for values in given for name, _ in values)


MEETS: Mapping[str, Meets] = {
    "hidden_folders": is_hidden,
    "concatenated_literals": is_doubled,
    "single_bounds": tells("DOUBLE"),
    "dropped_conjunct": both(is_parted, lambda program: " and " in str(program).lower()),
    "null_as_true": has(Delete, ReplaceWhere),
    "evaluated_again": tells(UNSTABLE, FEED),
    "lost_insert": inserts,
    "shifted_vectors": tells(VECTORS),
    "feed_without_deletes": tells(FEED),
    "reused_ids": tells(TRACKING),
    "shifted_ntz": tells(NO_ZONE),
    "stale_schema": has(AddColumn, DropColumn, RenameColumn, WidenColumn, Append, Merge),
    "kept_file": overwrites,
    "null_partition_kept": replaces_partitions,
    "unfilled_chars": tells("'CHAR("),
    "forgotten_defaults": tells("default="),
    "accepted_ambiguity": has_doubles,
    "whole_structs": assigns_fields,
}
"""By the name of the bug; every program can meet one that is missing here."""


def can_meet(name: str, program: Program) -> bool:
    """Whether the program may behave otherwise with this bug than without it."""
    return name not in MEETS or MEETS[name](program)
