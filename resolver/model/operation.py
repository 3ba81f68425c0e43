"""What a commit says it does: the name and parameters that history shows, and what that name allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from deltaresolver.model.frozen import EMPTY, frozen
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class Operation(Value):
    """One operation.

    name                          as history shows it, `SET TBLPROPERTIES`
    parameters                    as history shows them, in this order; values are JSON
    changes_data                  rows may change; else a commit without data changes needs less isolation
    can_change_partition_columns  the table may be partitioned otherwise afterwards
    updates_files_in_place        only re-adds files that are there already (statistics, row ids); None: not known
    demands_wide_bounds           files with a deletion vector must carry wide statistics
    replaces_table                the table is created anew in place of the old one
    drops_feature                 the feature that a protocol downgrade takes away
    user_metadata                 free text for history
    metrics                       operation metrics, all text
    """

    name: str
    parameters: Mapping[str, Any] = attrs.field(default=EMPTY, hash=False, converter=frozen)
    changes_data: bool = False
    can_change_partition_columns: bool = False
    updates_files_in_place: bool | None = False
    demands_wide_bounds: bool = True
    replaces_table: bool = False
    drops_feature: str | None = None
    user_metadata: str | None = None
    metrics: Mapping[str, str] = attrs.field(default=EMPTY, hash=False, converter=frozen)
