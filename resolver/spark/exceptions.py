"""The errors of concurrent commits under the names that users know from delta.exceptions.

They are the classes of `deltaresolver.errors`. As in Scala, and unlike in delta-spark's Python, each is a
`DeltaConcurrentModificationException` too.
"""

from __future__ import annotations

from deltaresolver.errors import ConcurrentAppendError as ConcurrentAppendException
from deltaresolver.errors import ConcurrentDeleteDeleteError as ConcurrentDeleteDeleteException
from deltaresolver.errors import ConcurrentDeleteReadError as ConcurrentDeleteReadException
from deltaresolver.errors import ConcurrentModificationError as DeltaConcurrentModificationException
from deltaresolver.errors import ConcurrentTransactionError as ConcurrentTransactionException
from deltaresolver.errors import ConcurrentWriteError as ConcurrentWriteException
from deltaresolver.errors import MetadataChangedError as MetadataChangedException
from deltaresolver.errors import ProtocolChangedError as ProtocolChangedException

__all__ = [
    "ConcurrentAppendException",
    "ConcurrentDeleteDeleteException",
    "ConcurrentDeleteReadException",
    "ConcurrentTransactionException",
    "ConcurrentWriteException",
    "DeltaConcurrentModificationException",
    "MetadataChangedException",
    "ProtocolChangedException",
]
