"""Client profiles in a folder that the processes of one audit share, so that few are worked out twice.

Where a process cannot reach the folder, as from another machine, it works out its own; that only costs time.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import attrs
import msgspec

from deltaresolver.audit.document.document import ClientProfile

_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(ClientProfile)


@attrs.frozen(slots=True)
class SharedProfiles:
    """Profiles by key, each in a file of its own, which is complete or missing."""

    folder: Path

    def find(self, key: str) -> ClientProfile | None:
        """The profile that some process has kept; None where there is none or it cannot be read."""
        try:
            return _decoder.decode((self.folder / key).read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None

    def keep(self, profile: ClientProfile) -> None:
        """Write the profile where other processes find it; a failure to write is ignored."""
        unfinished = self.folder / f"{profile.key}.{os.getpid()}"
        with contextlib.suppress(OSError):
            unfinished.write_bytes(_encode(profile))
            unfinished.replace(self.folder / profile.key)
