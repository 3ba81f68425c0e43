"""The what-if page of some tables, served by a thread on a free port."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

import uvicorn

from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.ui.app import ServedTables, make_app
from deltaresolver.ui.doorkeeper import Doorkeeper
from deltaresolver.ui.listener import listening


@contextlib.contextmanager
def serving(tables: ServedTables) -> Iterator[Doorkeeper]:
    with contextlib.closing(listening(0)) as listener:
        door = Doorkeeper(listener.getsockname()[1])
        server = uvicorn.Server(uvicorn.Config(make_app(tables, default_knowledge(), door), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 30
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        try:
            yield door
        finally:
            server.should_exit = True
            thread.join(30)
