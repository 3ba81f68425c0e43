"""Imports that a read makes when it comes to it, made before the clock starts: from cold they count, in bench_cold."""

from __future__ import annotations

import importlib
import pkgutil

ROOMS = ("deltaresolver.log.columnar", "deltaresolver.log.checkpoint", "deltaresolver.log.replay")
MODULES = ("deltaresolver.log.compactions", "deltaresolver.log.storage.local_store", "deltaresolver.log.pruning.prune")


def import_all() -> None:
    """Import what reading a log takes, whatever the log is made of."""
    for name in (*ROOMS, *MODULES):
        module = importlib.import_module(name)
        for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{name}."):
            importlib.import_module(found.name)
