"""The one function through which all code of plugins is called, and wrappers that use it for each kind of code.

Code of a plugin may refuse with an error of this library. Any other exception becomes a `PluginCallFailedError` that
names plugin, package and method and has the original as its cause; only Ctrl-C is passed on. Built-in features are
called directly, so the guard costs them nothing.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import attrs

from deltaresolver.errors import DeltaResolverError, PluginCallFailedError
from deltaresolver.plugins.callables import never_ran
from deltaresolver.plugins.offered import OWN
from deltaresolver.value import Value

TRACE = "DELTARESOLVER_TRACE_PLUGINS"
"""The environment variable that has each call of a plugin printed to stderr."""

MAX_ITEMS = 100_000
"""How many features, findings or pieces of evidence code of a plugin may give at once."""

SLOW_SECONDS = 5.0
"""A call that takes longer is reported, while it runs and afterwards."""

logger = logging.getLogger("deltaresolver.plugins")
T = TypeVar("T")
_seconds: dict[str, float] = {}
"""The seconds that the code of each package has taken in this process, for `deltaresolver plugins`."""


@attrs.frozen(slots=True)
class PluginSource(Value):
    """The name of a plugin and of the package that brought it."""

    plugin: str
    package: str

    def __str__(self) -> str:
        return f"plugin {self.plugin} of package {self.package}"


def call(source: PluginSource, what: str, function: Callable[..., T], *arguments: Any, **keywords: Any) -> T:
    """Call `function`, code of the plugin. Raises `PluginCallFailedError`, and the plugin's refusals."""
    started = time.perf_counter()
    outcome = "returned"
    ended = None if source.package == OWN else _watched(what, source)
    try:
        return function(*arguments, **keywords)
    except KeyboardInterrupt:
        outcome = "was interrupted"
        raise
    except DeltaResolverError as error:
        outcome = f"refused with {error.code}"
        raise
    except BaseException as error:  # SystemExit too: no plugin ends the program
        outcome = f"raised {type(error).__name__}"
        raise failed(source, what, f"raised {type(error).__name__}: {error}") from error
    finally:
        if ended is not None:
            ended()
        _note(source, what, outcome, time.perf_counter() - started)


def _watched(what: str, source: PluginSource) -> Callable[[], Any]:
    """Have a call watched; the returned function ends the watch."""
    # Imported here, because most commands call no code of other packages.
    from deltaresolver.plugins.watch import begun  # noqa: PLC0415 - see above

    return begun(what, source)


def failed(source: PluginSource, what: str, happened: str) -> PluginCallFailedError:
    """The error for code of a plugin that did something it may not do."""
    return PluginCallFailedError(
        f"{what} of {source} {happened.rstrip('.')}.",
        fix=f"Have the package {source.package} repaired, or leave it out: --without-plugin {source.package}.",
        details={"plugin": source.plugin, "package": source.package, "method": what},
    )


@contextlib.contextmanager
def away_from_output() -> Iterator[None]:
    """Send everything printed meanwhile to stderr, so that the output of a command stays valid JSON."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def at_most(items: Iterable[T], limit: int = MAX_ITEMS) -> list[T]:
    """All items. Raises `OverflowError` for more than `limit`, since a generator may never end."""
    found = list(itertools.islice(items, limit + 1))
    if len(found) > limit:
        raise OverflowError(f"more than {limit:,} items came, and it may go on for ever")
    return found


def seconds_spent(package: str) -> float:
    """The seconds that the code of a package has taken so far, its import included."""
    return _seconds.get(package, 0.0)


def is_traced() -> bool:
    """Whether calls of plugins are printed."""
    return os.environ.get(TRACE, "") not in {"", "0"}


def _note(source: PluginSource, what: str, outcome: str, seconds: float) -> None:
    _seconds[source.package] = _seconds.get(source.package, 0.0) + seconds
    if is_traced():
        sys.stderr.write(f"deltaresolver: {source}: {what} {outcome} after {seconds * 1000:.1f} ms\n")
    if seconds > SLOW_SECONDS:
        logger.warning("%s of %s took %.1f s", what, source, seconds)


@attrs.frozen(slots=True)
class GuardedFunction(Value):
    """A function of a plugin, called through the guard. `listed`: a generator is read to its end there too."""

    function: Callable[..., Any]
    source: PluginSource
    what: str
    listed: bool = False

    def __call__(self, *arguments: Any) -> Any:
        if self.listed:
            return call(self.source, self.what, lambda: at_most(self.function(*arguments)))
        return call(self.source, self.what, self.function, *arguments)


@attrs.frozen(slots=True)
class GuardedPolicy(Value):
    """A commit policy of a plugin."""

    policy: Any
    source: PluginSource

    def check(self, proposal: object) -> None:
        """Let a commit pass, or refuse it."""
        what = f"{type(self.policy).__name__}.check"
        if never_ran(call(self.source, what, self.policy.check, proposal)):
            raise failed(self.source, what, "returned something to be run, so that nothing of it ran")


@attrs.frozen(slots=True)
class GuardedPostCommitHook(Value):
    """A post-commit hook of a plugin."""

    hook: Any
    source: PluginSource

    @property
    def name(self) -> str:
        """As messages call it."""
        name: str = self.hook.name
        return name

    def run(self, committed: object) -> None:
        """Do what follows the commit."""
        what = f"{type(self.hook).__name__}.run"
        if never_ran(call(self.source, what, self.hook.run, committed)):
            raise failed(self.source, what, "returned something to be run, so that nothing of it ran")

    def handle_error(self, error: Exception, table_version: int) -> None:
        """Hear that `run` failed."""
        what = f"{type(self.hook).__name__}.handle_error after version {table_version} was committed"
        call(self.source, what, self.hook.handle_error, error, table_version)


def is_answer(value: object, kinds: Sequence[type], items: type | None) -> bool:
    """Whether a value is of one of these kinds; text is not a sequence here, and `items` are what a sequence holds."""
    if isinstance(value, str):
        return str in kinds
    if not isinstance(value, tuple(kinds)):
        return False
    if items is None or not isinstance(value, Sequence) or isinstance(value, Mapping):
        return True
    return all(isinstance(item, items) for item in value)
