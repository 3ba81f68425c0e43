"""Client profiles in a folder that the processes of one audit share, so that few are worked out twice.

Where the folder cannot be reached, as from another machine, every process works out its own: nothing is lost but time.
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
    """Profiles by key, each in a file of its own that is whole or not there."""

    folder: Path

    def find(self, key: str) -> ClientProfile | None:
        """The profile that some process has kept; None where none has, or it cannot be read."""
        try:
            return _decoder.decode((self.folder / key).read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None

    def keep(self, profile: ClientProfile) -> None:
        """Let the others find it."""
        unfinished = self.folder / f"{profile.key}.{os.getpid()}"
        with contextlib.suppress(OSError):
            unfinished.write_bytes(_encode(profile))
            unfinished.replace(self.folder / profile.key)
