"""The values everything else speaks in: frozen, comparable, free of I/O."""

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol

__all__ = ["Metadata", "Protocol"]
