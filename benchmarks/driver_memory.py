"""The peak memory of the driver of a Spark session while a block runs."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import attrs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STATUS, _REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_PEAK_ANEW = "5"
_MIB = 1 << 20


@attrs.frozen
class Most:
    """Peaks in MiB. `python` is that of this process, `above` its difference to the memory used before.

    `heap` is the peak of the JVM's heap, garbage included.
    """

    python: int
    above: int
    heap: int


class DriverMemory:
    """Watches a block: afterwards `most` has the peaks. Only for Linux and classic sessions."""

    most: Most

    def __init__(self, spark: SparkSession) -> None:
        session: Any = spark
        self._beans = session._jvm.java.lang.management.ManagementFactory  # noqa: SLF001 - PySpark shows the heap in no other way

    def __enter__(self) -> Self:
        self._beans.getMemoryMXBean().gc()
        for pool in self._heap():
            pool.resetPeakUsage()
        _REFERENCES.write_text(_PEAK_ANEW, encoding="ascii")
        self._before = _status("VmRSS")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        peak = _status("VmHWM")
        heap = sum(pool.getPeakUsage().getUsed() for pool in self._heap()) // _MIB
        self.most = Most(peak, peak - self._before, heap)

    def _heap(self) -> list[Any]:
        return [pool for pool in self._beans.getMemoryPoolMXBeans() if pool.getType().name() == "HEAP"]


def _status(name: str) -> int:
    line = next(line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) >> 10


def peak_of_this_process() -> int:
    """The peak memory of this process so far, or since `DriverMemory` began, in MiB."""
    return _status("VmHWM")
