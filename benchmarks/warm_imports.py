"""Make the deferred imports of a read before the clock starts; bench_cold measures them."""

from __future__ import annotations

import importlib
import pkgutil

ROOMS = ("deltaresolver.log.columnar", "deltaresolver.log.checkpoint", "deltaresolver.log.replay")
MODULES = ("deltaresolver.log.compactions", "deltaresolver.log.storage.local_store", "deltaresolver.log.pruning.prune")


def import_all() -> None:
    """Import every module that reading a log may need, whatever the log's form."""
    for name in (*ROOMS, *MODULES):
        module = importlib.import_module(name)
        for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{name}."):
            importlib.import_module(found.name)
