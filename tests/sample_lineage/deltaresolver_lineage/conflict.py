"""The refusal of this package, with a code and a page of its own."""

from deltaresolver.errors import DeltaResolverError


class SourceBusyError(DeltaResolverError):
    """Another writer committed rows of the same source at the same time."""

    code = "LINEAGE01"


PAGE = """\
# LINEAGE01 SourceBusyError

Another writer committed rows of the same source at the same time.

## Why

Rows of one source have an order, and two writers that do not know of each other cannot keep it.

## What to do

Read what the other writer committed, and write again.
"""
