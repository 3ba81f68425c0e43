"""Targets that are SQL: conditions, expressions of tables, statements of DDL."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable

import pyarrow as pa

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.expressions.allowed import checked_expression
from deltaresolver.expressions.arrow import evaluate, parse_expression
from deltaresolver.expressions.conditions import PartitionJudge, parse_predicate
from deltaresolver.expressions.statistics import pruning_predicate
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.metadata import Metadata
from deltaresolver.table import Table
from deltaresolver.transaction.ddl.read_statement import read_statement
from tests.fuzz.case import TEXT, Case, Target
from tests.fuzz.mutation import changed_text
from tests.fuzz.sql_words import CONDITIONS, LITERALS, STATEMENT_WORDS, STATEMENTS, WORDS
from tests.fuzz.tables import NESTED, metadata_of, name_of
from tests.logs import PROTOCOL, add, lines
from tests.nasty import COLUMN_NAMES

_METADATA = Metadata.from_json(metadata_of(NESTED, {})["metaData"])
_ROWS = pa.record_batch({"id": [1, None, 3], "p": ["a", None, "z"]})


def _text(case: Case) -> str:
    return case[TEXT].decode("utf-8", "surrogatepass")


def _drawn(texts: tuple[str, ...], words: tuple[str, ...]) -> Callable[[random.Random], Case]:
    def draw(rng: random.Random) -> Case:
        text = changed_text(rng, rng.choice(texts), (*words, *COLUMN_NAMES, *LITERALS), 5)
        if rng.random() < 0.05:
            text = text.replace(rng.choice(text or " "), rng.choice(("\u2028", "\ud800", "\x00", "\ufeff", "ſ", "İ")))
        return {TEXT: text.encode("utf-8", "surrogatepass")}

    return draw


def use_condition(case: Case) -> None:
    """A condition is read, split, judged, and turned into what prunes files."""
    text = _text(case)
    for use in (_judge, _check, _evaluate):
        try:
            use(text)
        except DeltaResolverError as error:
            str(error)


def _judge(text: str) -> None:
    predicate = parse_predicate(text)
    judge = PartitionJudge.of(_METADATA)
    for part in predicate.parts():
        for value in ("a", None, "", "1500-01-01"):
            judge.may_hold(part, {"p": value})
            judge.surely_holds(part, {"p": value})
    pruning_predicate(tuple(predicate.parts()), _METADATA)


def _check(text: str) -> None:
    checked_expression(text, "The fuzzed expression", {"id", "p", "s", "at", "l"})


def _evaluate(text: str) -> None:
    # What Spark would fail at fails here with Arrow's error, as is documented.
    with contextlib.suppress(pa.ArrowException):
        evaluate(parse_expression(text, "the fuzzed rule"), _ROWS)


def use_statement(case: Case) -> None:
    """A statement is read, and carried out on a small table in memory."""
    statement = read_statement(_text(case))
    store = MemoryStore()
    if "ALTER" in _text(case).upper():
        store.put(name_of(0), lines([PROTOCOL, metadata_of(NESTED, {}), add("p=a/one", partitionValues={"p": "a"})]))
    table = Table("/nowhere", catalog=built_in_catalog())
    table.log = DeltaLog(store)
    table.carry_out(statement, row_check=lambda *_: None)
    snapshot = DeltaLog(store).snapshot()
    str((snapshot.metadata.schema, snapshot.protocol))


TEXT_TARGETS = (
    Target("conditions", _drawn(CONDITIONS, WORDS), use_condition),
    Target("statements", _drawn(STATEMENTS, STATEMENT_WORDS), use_statement),
)
