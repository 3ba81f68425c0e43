"""A process that has loaded the command line already and forks for every run, so that a test costs milliseconds.

Each run is still a process of its own, with real descriptors and a real exit code. Requests and answers are lines
of JSON; bytes travel as base64.
"""

from __future__ import annotations

import base64
import codecs
import contextlib
import ctypes
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import pty
import resource
import selectors
import signal
import struct
import sys
import tempfile
import termios
from pathlib import Path
from typing import Any

import deltaresolver
from deltaresolver import defaults
from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.scan.runners import InProcess
from deltaresolver.cli.main import COMMANDS, main


def serve() -> None:
    """Answer requests until there are no more."""
    load_everything()
    do_once()
    gc.freeze()  # collections in a child would copy the memory that it shares
    use_large_pages()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


def load_everything() -> None:
    """Import what any command may, except what would bring Spark."""
    for module, _ in COMMANDS.values():
        importlib.import_module(module)
    defaults.default_catalog()
    codecs.lookup("utf-8-sig")  # what a user who may not read the library needs
    for found in pkgutil.walk_packages(deltaresolver.__path__, "deltaresolver."):
        if not found.name.startswith("deltaresolver.spark") and not found.name.endswith(".__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(found.name)


def do_once() -> None:
    """Do what every run would do for the first time: read what is known of clients, build the readers of SQL."""
    with tempfile.TemporaryDirectory() as folder:
        table = deltaresolver.Table(folder)
        table.sql("CREATE TABLE t (id BIGINT) USING delta")
        table.alter(set={"delta.checkpointInterval": "20"})
        table.resolve({"delta.enableRowTracking": "true"}).explain()
        deltaresolver.impact(table, {"delta.enableDeletionVectors": "true"})
        deltaresolver.plan(table, target="trino@413")
        request = AuditRequest(roots=(folder,), clients=("trino@413",), budget=None)
        audit_lake(request, InProcess(), Path(folder) / "work", Path(folder) / "audit.json")


LARGE_PAGE = 2 << 20
_MAY_BE_LARGE, _MAKE_LARGE = 14, 25
"""MADV_HUGEPAGE and MADV_COLLAPSE of Linux; what does not know them refuses, and all stays as it is."""


def use_large_pages() -> None:
    """Put what has been loaded on large pages: to fork, and to end, takes time for each page, large or small."""
    if sys.platform != "linux":
        return
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        addresses, rights, *rest = line.split(maxsplit=5)
        if rights != "rw-p" or rest[3:] not in ([], ["[heap]"]):
            continue
        first, end = (int(address, 16) for address in addresses.split("-"))
        first = -(-first // LARGE_PAGE) * LARGE_PAGE
        if end - first >= LARGE_PAGE:
            for advice in (_MAY_BE_LARGE, _MAKE_LARGE):
                advise(first, (end - first) // LARGE_PAGE * LARGE_PAGE, advice)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run one command line."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdin.write(base64.b64decode(request["stdin"]))
        stdin.seek(0)
        if request["columns"] is not None:
            out.write(seen_on_terminal(request, stdin.fileno()))
            code = 0
        elif request["file_bytes"] is not None or request["user"] is not None:
            code, texts = seen_through_pipes(request, stdin.fileno())
            out.write(texts[0])
            err.write(texts[1])
        else:
            child = forked(request, (stdin.fileno(), out.fileno(), err.fileno()))
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        streams = []
        for file in (out, err):
            file.seek(0)
            streams.append(base64.b64encode(file.read()).decode())
    return {"code": code, "out": streams[0], "err": streams[1]}


def seen_on_terminal(request: dict[str, Any], stdin: int) -> bytes:
    """What a command line writes to a terminal of so many columns."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, request["columns"], 0, 0))
    child = forked(request, (stdin, terminal, terminal))
    os.close(terminal)
    seen = b""
    with contextlib.suppress(OSError):  # by which Linux says that the other side has closed
        while part := os.read(master, 65536):
            seen += part
    os.close(master)
    os.waitpid(child, 0)
    return seen


def seen_through_pipes(request: dict[str, Any], stdin: int) -> tuple[int, list[bytes]]:
    """The exit code and both streams of a command line that may write no files: to pipes it may."""
    pipes = [os.pipe(), os.pipe()]
    child = forked(request, (stdin, pipes[0][1], pipes[1][1]))
    texts = [b"", b""]
    for _, writing in pipes:
        os.close(writing)
    with selectors.DefaultSelector() as selector:
        for place, (reading, _) in enumerate(pipes):
            selector.register(reading, selectors.EVENT_READ, place)
        while selector.get_map():
            for key, _ in selector.select():
                if part := os.read(key.fd, 65536):
                    texts[key.data] += part
                else:
                    selector.unregister(key.fd)
                    os.close(key.fd)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), texts


def forked(request: dict[str, Any], descriptors: tuple[int, int, int]) -> int:
    """A child that runs the command line."""
    child = os.fork()
    if child == 0:
        become_the_command(request, descriptors)
    return child


def see_packages(folder: str) -> None:
    """Find what is installed in this folder too, as if it had been there from the start."""
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    forget()


def forget() -> None:
    """Let this process find out anew what depends on installed packages and on the environment."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "deltaresolver":
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def is_elsewhere(request: dict[str, Any]) -> bool:
    """Whether the library would look for its own settings or for the user's data in other places than here."""
    asked: dict[str, str] = request["env"]
    return request["only_env"] or any(
        name.startswith(("DELTARESOLVER_", "XDG_", "HOME")) and os.environ.get(name) != value
        for name, value in asked.items()
    )


def become_the_command(request: dict[str, Any], descriptors: tuple[int, int, int]) -> None:
    """In the child: take over its descriptors, folder and environment, run, and end."""
    code = 1
    try:
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        if request["out"] is not None:
            os.dup2(os.open(request["out"], os.O_WRONLY), 1)
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(open(number, mode, closefd=False), encoding="utf-8")  # noqa: SIM115 - ends with the process
            for number, mode in ((0, "rb"), (1, "wb"), (2, "wb"))
        )
        os.chdir(request["folder"])
        if is_elsewhere(request):
            forget()
        if request["only_env"]:
            os.environ.clear()
        os.environ.update(request["env"])
        if request["packages"] is not None:
            see_packages(request["packages"])
        if request["megabytes"] is not None:
            resource.setrlimit(resource.RLIMIT_AS, (request["megabytes"] << 20, request["megabytes"] << 20))
        signal.alarm(request["seconds"])
        if request["file_bytes"] is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_bytes"], request["file_bytes"]))
        if request["user"] is not None:
            os.setgroups([])
            os.setgid(request["user"])
            os.setuid(request["user"])
        main(request["arguments"])
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
