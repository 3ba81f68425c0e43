"""What must come of a step, as the oracle sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import attrs
import pyarrow as pa

from tests.differential.program import Column
from tests.differential.values import Bag, as_tuples, conformed


class RefusedError(Exception):
    """The step must be refused: the table has a rule against it."""


class UnknownOutcomeError(Exception):
    """Spark cannot evaluate it over all rows; whoever looks at fewer rows may succeed."""


class WrongError(AssertionError):
    """The table is not what it must be; `kind` names the promise that is broken."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(f"{kind}: {message}")


@attrs.frozen
class Changes:
    """Rows that come and go, each with all columns of the table after the step."""

    inserted: pa.Table | None = None
    deleted: pa.Table | None = None
    before: pa.Table | None = None
    after: pa.Table | None = None

    def feed(self, columns: tuple[Column, ...]) -> Bag:
        """As the change feed gives them: the kind of change, then the row."""
        found: Bag = Counter()
        kinds = {
            "insert": self.inserted,
            "delete": self.deleted,
            "update_preimage": self.before,
            "update_postimage": self.after,
        }
        for kind, rows in kinds.items():
            if rows is not None:
                found.update((kind, *row) for row in as_tuples(conformed(rows, columns)))
        return found


@attrs.frozen
class Expected:
    """The table after a step. `changes` is None where the step is not about rows."""

    columns: tuple[Column, ...]
    rows: pa.Table
    kept: pa.Table
    """Rows that the step leaves alone."""
    changes: Changes | None = None
    metrics: Mapping[str, int] = attrs.field(factory=dict)
    restores: bool = False
    """Whether rows that were gone are back, with the ids they had."""
    may_be_refused: bool = False
    """Whether a refusal is right as well: a row matches several of a source, of which one at most changes it."""

    @property
    def new_ids(self) -> int:
        """How many rows are new, and have ids that no row had before."""
        inserted = None if self.changes is None else self.changes.inserted
        return 0 if inserted is None else int(inserted.num_rows)
