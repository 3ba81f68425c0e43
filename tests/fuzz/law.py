"""The law that every case is held to: only errors of the library are raised, in bounded time and memory."""

from __future__ import annotations

import contextlib
import logging
import resource
import signal
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from unittest import mock

import attrs

from deltaresolver.errors import DeltaResolverError, UnexpectedError
from tests.fuzz.case import Case, Target

ROOT = Path(__file__).parents[2]
SECONDS = 20.0
"""Of processor time for one case, most of which take milliseconds."""
ADDRESS_SPACE = 6 << 30


class _TooSlowError(BaseException):
    """Not an Exception: nobody may catch it."""


@attrs.frozen
class Breach:
    """How a case breaks the law: `kind` is the same for cases that do so in the same place."""

    kind: str
    told: str


def hold(target: Target, case: Case) -> Breach | None:
    """What the case breaks, or None."""
    before = peak_kilobytes()
    logged = _Logged()
    try:
        with _limited(), logged.listening():
            target.use(case)
    except UnexpectedError as error:
        return _breach(error)
    except DeltaResolverError:
        pass
    except _TooSlowError as error:
        return Breach(f"slow at {_place(error)}", "".join(traceback.format_exception(error))[-900:])
    except Exception as error:  # noqa: BLE001 - any at all is what is looked for
        return _breach(error)
    if logged.error is not None:
        return _breach(logged.error)
    if peak_kilobytes() - before > target.megabytes << 10:
        return Breach("memory", f"{(peak_kilobytes() - before) >> 10} MB more than any case before")
    return None


def _breach(error: BaseException) -> Breach:
    return Breach(f"{type(error).__name__} at {_place(error)}", "".join(traceback.format_exception(error))[-900:])


def _place(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "deltaresolver/" in frame.filename]
    frames = frames or traceback.extract_tb(error.__traceback__)[-1:]
    if not frames:
        return "nowhere"
    file = frames[-1].filename.removeprefix(f"{ROOT}/").rpartition("deltaresolver/")[2]
    return f"{file} {frames[-1].name}"


class _Logged(logging.Handler):
    """What the library survives and only logs must be an error of its own as well."""

    error: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and (not isinstance(error, DeltaResolverError) or isinstance(error, UnexpectedError)):
            self.error = error

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        logger = logging.getLogger("deltaresolver")
        propagates, logger.propagate = logger.propagate, False
        logger.addHandler(self)
        try:
            yield
        finally:
            logger.removeHandler(self)
            logger.propagate = propagates


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        # Waiting for a listing to become whole is right, and no use here.
        with warnings.catch_warnings(), mock.patch.object(time, "sleep"):
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def limit_memory() -> None:
    """From here on this process gets no more than so much address space."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


def peak_kilobytes() -> int:
    """KB that this process held at most; from the kernel: in getrusage a child's begins with its parent's."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1])
    return 0
