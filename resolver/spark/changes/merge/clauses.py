"""The clauses of a MERGE, as given: which rows each is for, and what it does with them."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs

from deltaresolver.errors import MergeClauseError
from deltaresolver.spark.changes.conditions import Given, shown


class ForRows(enum.Enum):
    """Rows that a clause is for."""

    MATCHED = "matched"
    NOT_MATCHED = "not matched"
    NOT_MATCHED_BY_SOURCE = "not matched by source"


class ClauseAct(enum.Enum):
    """What a clause does."""

    UPDATE = "update"
    DELETE = "delete"
    INSERT = "insert"


_OMIT = {
    ForRows.MATCHED: "DELTA_NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
    ForRows.NOT_MATCHED: "DELTA_NON_LAST_NOT_MATCHED_CLAUSE_OMIT_CONDITION",
    ForRows.NOT_MATCHED_BY_SOURCE: "DELTA_NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION",
}


@attrs.frozen(slots=True, eq=False)
class MergeClause:
    """One clause.

    values      what is assigned, by column
    takes_all   whether instead columns get the values of the source's columns of the same names
    """

    rows: ForRows
    act: ClauseAct
    condition: Given | None = None
    values: Mapping[str, Given] = attrs.field(factory=dict)
    takes_all: bool = False

    def with_givens(self, changed: Callable[[Given], Given]) -> MergeClause:
        """The same clause with condition and values as `changed` makes them."""
        condition = None if self.condition is None else changed(self.condition)
        values = {name: changed(value) for name, value in self.values.items()}
        return attrs.evolve(self, condition=condition, values=values)

    def __str__(self) -> str:
        return f"the {self.act.value} clause for rows {self.rows.value}"

    def shown(self) -> Mapping[str, str]:
        """For history."""
        act = {"actionType": self.act.value}
        return act if self.condition is None else {"predicate": shown(self.condition), **act}


@attrs.frozen(slots=True, eq=False)
class MergeClauses:
    """All clauses in order; a clause is known by its number."""

    clauses: tuple[MergeClause, ...]

    def __attrs_post_init__(self) -> None:
        if not self.clauses:
            raise MergeClauseError(
                "The MERGE has no clause, so it would do nothing.", fix="Add one, for instance whenMatchedUpdateAll()."
            )
        for rows in ForRows:
            of_kind = [clause for clause in self.clauses if clause.rows is rows]
            for clause in of_kind[:-1]:
                if clause.condition is None:
                    raise MergeClauseError(
                        f"Only the last clause for rows {rows.value} may go without a condition, and {clause} is not "
                        "the last.",
                        fix="Give it a condition, or make it the last.",
                        details={"rows": rows.value, "act": clause.act.value},
                        delta_condition=_OMIT[rows],
                    )

    @property
    def givens(self) -> Iterator[Given]:
        """All conditions and values."""
        for clause in self.clauses:
            if clause.condition is not None:
                yield clause.condition
            yield from clause.values.values()

    def with_givens(self, changed: Callable[[Given], Given]) -> MergeClauses:
        """The same clauses with every condition and value as `changed` makes it."""
        return MergeClauses(tuple(each.with_givens(changed) for each in self.clauses))

    def numbered(self, rows: ForRows) -> Mapping[int, MergeClause]:
        """The clauses for some rows, in order."""
        return {number: clause for number, clause in enumerate(self.clauses) if clause.rows is rows}

    def of(self, act: ClauseAct) -> frozenset[int]:
        """The numbers of clauses that do this."""
        return frozenset(number for number, clause in enumerate(self.clauses) if clause.act is act)

    def has(self, rows: ForRows) -> bool:
        """Whether some clause is for these rows."""
        return any(clause.rows is rows for clause in self.clauses)

    @property
    def may_match_twice(self) -> bool:
        """Whether it does not matter how many rows of the source match one of the table."""
        matched = list(self.numbered(ForRows.MATCHED).values())
        return len(matched) == 1 and matched[0].act is ClauseAct.DELETE and matched[0].condition is None

    def parameters(self) -> Mapping[str, str]:
        """For history."""
        keys = {
            ForRows.MATCHED: "matchedPredicates",
            ForRows.NOT_MATCHED: "notMatchedPredicates",
            ForRows.NOT_MATCHED_BY_SOURCE: "notMatchedBySourcePredicates",
        }
        return {key: _listed([each.shown() for each in self.numbered(rows).values()]) for rows, key in keys.items()}


def _listed(shown_clauses: Sequence[Mapping[str, str]]) -> str:
    return json.dumps(shown_clauses, separators=(",", ":"), ensure_ascii=False)
