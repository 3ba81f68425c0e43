"""appendOnly: rows may be added but never changed or deleted.

Writers refuse commits that remove data while the property is true; readers are not affected.
"""

from __future__ import annotations

from deltaresolver.errors import AppendOnlyTableError
from deltaresolver.model.behaviour import Draft, FeatureBehaviour
from deltaresolver.model.facts.keys import APPEND_ONLY
from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl


class AppendOnlyBehaviour(FeatureBehaviour):
    """Refuses commits that remove rows."""

    def check_draft(self, draft: Draft) -> None:
        """Raise `AppendOnlyTableError` for a removed file whose rows are removed with it."""
        if not draft.before.metadata.is_on(APPEND_ONLY):
            return
        removed = next((file for file in draft.removes if file.data_change), None)
        if removed is not None:
            raise AppendOnlyTableError(
                f"{draft.operation.name} would remove {removed.path} from a table that only takes appends.",
                fix=f"Unset {APPEND_ONLY} if rows may be removed from this table.",
                details={"path": removed.path, "operation": draft.operation.name, "property": APPEND_ONLY},
            )


@hookimpl
def table_feature() -> TableFeature:
    """Declare appendOnly."""
    return TableFeature(
        name="appendOnly",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=2,
        summary="Rows may be added, never changed or deleted.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#append-only-tables",
        legacy=LegacyVersion(0, 2, check_order=2),
        trigger=PropertyIsTrue(APPEND_ONLY),
        upgrades_existing_table=True,
        aborts_concurrent_writers=False,
        behaviour=AppendOnlyBehaviour(),
        support=Support(),
    )
