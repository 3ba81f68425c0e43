"""deltaresolver: why a Delta table needs its protocol, who breaks if it changes, and how to get back.

    import deltaresolver as dr

Every name below loads its own part of the library when it is first used, and no more: importing the
package costs next to nothing and needs neither Spark nor Arrow.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deltaresolver.model.metadata import Metadata as Metadata
    from deltaresolver.model.protocol import Protocol as Protocol

# A public name is one line here and one above, for type checkers; tests/house holds the two together.
_HOME_OF = {
    "Metadata": "deltaresolver.model.metadata",
    "Protocol": "deltaresolver.model.protocol",
}

__all__ = list(_HOME_OF)


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
