"""All plugins in one pluggy manager; each answer comes with the plugin that gave it.

Ordering, wrappers, `specname`, `optionalhook` and tracing work as pluggy documents them. In addition, an exception in
a hook becomes a problem that names plugin and package, and the other plugins are still called. No hook is historic:
a catalog is made from all plugins at once, and one registered later is called when the next catalog is made.
"""

from __future__ import annotations

import difflib
import inspect
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import attrs
import pluggy

from deltaresolver.plugins import hookspecs
from deltaresolver.plugins.guard import PluginSource, at_most, away_from_output, call, is_traced
from deltaresolver.plugins.hook_versions import version_problem, warn
from deltaresolver.plugins.problems import Problem
from deltaresolver.value import Value

T = TypeVar("T")
MAX_ANSWERS = 1_000
"""The number of items that one hook may return."""
LONGEST_TRACE = 200


@attrs.frozen(slots=True)
class Plugin(Value):
    """A module or object with hooks, and its source: plugin and package."""

    hooks: object
    source: PluginSource


class Asking:
    """Plugins whose hooks are called together. Problems are added to `problems`."""

    def __init__(self, plugins: Iterable[Plugin]) -> None:
        self.problems: list[Problem] = []
        self._manager = _Manager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        if is_traced():
            self._manager.trace.root.setwriter(_write_short)
            self._manager.enable_tracing()
        self._wrapping: PluginSource | None = None
        self._brought: list[tuple[object, PluginSource]] = []
        for plugin in plugins:
            self._register(plugin)

    def answers(self, hook: str, kind: type[T], called: str = "") -> list[tuple[T, PluginSource]]:
        """The plugins' answers to a hook, each with its source. An answer of another type is a problem.

        `called` is the name of the type in messages, where that is not the name of its class.
        """
        wanted = called or kind.__name__
        self._brought = []
        try:
            with warnings.catch_warnings():
                # pluggy's warnings are left out: the problems have the same facts, with the plugin's own exception.
                warnings.simplefilter("ignore", pluggy.PluggyTeardownRaisedWarning)
                results = getattr(self._manager.hook, hook)()
        except _WrapperFailedError:
            return []
        found: list[tuple[T, PluginSource]] = []
        for one in (item for result in results for item in _listed(result)):
            source = self._source_of(one)
            if source is None:
                continue
            if isinstance(one, kind):
                found.append((one, source))
            else:
                message = f"hook {hook} returned {type(one).__name__}, not a {wanted}."
                fix = f"Return one {wanted}, or a list of them."
                self.problems.append(Problem("wrong return", source, message, fix))
        return found

    def _source_of(self, item: object) -> PluginSource | None:
        """The source of an item; None for an item that no hook returned, so a wrapper added it."""
        return next((source for known, source in self._brought if known is item), self._wrapping)

    def _register(self, plugin: Plugin) -> None:
        problem = version_problem(plugin.hooks, plugin.source)
        if problem is not None:
            self.problems.append(problem)
            return
        warn(plugin.hooks, plugin.source)
        name = f"{plugin.source.package}:{plugin.source.plugin}:{id(plugin.hooks)}"
        try:
            self._manager.register(plugin.hooks, name=name)
        except (pluggy.PluginValidationError, ValueError) as error:
            if self._manager.get_plugin(name) is plugin.hooks:
                self._manager.unregister(plugin.hooks)
            fix = "Give the hook no arguments: no hook has any."
            self.problems.append(Problem("bad hook", plugin.source, f"{error}.".replace("\n", " "), fix))
            return
        implementations = [
            one
            for caller in self._manager.get_hookcallers(plugin.hooks) or ()
            for one in caller.get_hookimpls()
            if one.plugin is plugin.hooks
        ]
        if not implementations:
            fix = "Mark a function named table_feature with @hookimpl from deltaresolver.plugin."
            self.problems.append(Problem("no hook", plugin.source, "it implements no hook.", fix))
        self.problems.extend(self._misspelt(plugin))
        for one in implementations:
            if one.wrapper or one.hookwrapper:
                self._wrapping = plugin.source
                one.function = self._wrapper(one.function, plugin.source, answers=one.wrapper)  # type: ignore[misc] # pluggy has no other way
            else:
                one.function = self._asked(one.function, plugin.source)  # type: ignore[misc]

    def _misspelt(self, plugin: Plugin) -> Iterator[Problem]:
        for caller in self._manager.get_hookcallers(plugin.hooks) or ():
            own = [one for one in caller.get_hookimpls() if one.plugin is plugin.hooks]
            if not caller.has_spec() and not all(one.optionalhook for one in own):
                near = difflib.get_close_matches(caller.name, hookspecs.HOOKS, n=1)
                fix = f"Did you mean {near[0]}?" if near else f"Known hooks are {', '.join(sorted(hookspecs.HOOKS))}."
                yield Problem("misspelt hook", plugin.source, f"there is no hook named {caller.name}.", fix)

    def _asked(self, function: Callable[..., Any], source: PluginSource) -> Callable[..., Any]:
        """The hook in the form that pluggy calls: it never raises, and its answer is recorded with the source."""
        hook = function.__name__

        def asked(*arguments: Any) -> Any:
            try:
                with away_from_output():
                    answer = call(source, hook, lambda: _read(function(*arguments)))
            except Exception as error:  # noqa: BLE001 - a stranger's hook may fail in any way
                cause = error.__cause__ or error
                message = f"hook {hook} raised {type(cause).__name__}: {cause}"
                fix = "Repair the plugin: hooks may not fail."
                self.problems.append(Problem("hook raised", source, message.rstrip(".") + ".", fix, cause=cause))
                return None
            self._brought += [(item, source) for item in _listed(answer)]
            # pluggy leaves out a hook that returns None; here that is a mistake like any other.
            return [None] if answer is None else answer

        return asked

    def _wrapper(self, function: Callable[..., Any], source: PluginSource, *, answers: bool) -> Callable[..., Any]:
        """The wrapper in the form that pluggy calls; an old-style one, without `answers`, returns nothing."""

        def wrapper(*arguments: Any) -> Generator[Any, Any, Any]:
            try:
                given = yield from _guarded(function(*arguments), source, f"wrapper {function.__name__}")
                if answers:
                    self._note_added(given, source)
            except Exception as error:  # noqa: BLE001 - a stranger's wrapper may fail in any way
                cause = error.__cause__ or error
                if not isinstance(cause, _WrapperFailedError):
                    message = f"wrapper {function.__name__} raised {type(cause).__name__}: {cause}"
                    fix = "Repair the plugin: hooks may not fail."
                    self.problems.append(Problem("hook raised", source, message.rstrip(".") + ".", fix, cause=cause))
                raise _WrapperFailedError from cause
            return given

        return wrapper

    def _note_added(self, answers: Any, source: PluginSource) -> None:
        """Record the wrapper as the source of items that no hook inside it returned. Raises `TypeError` for no list."""
        if not isinstance(answers, (list, tuple)):
            raise TypeError(f"it returned {type(answers).__name__}, not the list of answers")
        known = {id(item) for item, _ in self._brought}
        added = [item for answer in answers for item in _listed(answer) if id(item) not in known]
        self._brought += [(item, source) for item in added]


_MARK = f"{hookspecs.PROJECT}_impl"
_NEVER_HOOKS = frozenset({type, str, int, dict, tuple, list, frozenset, ModuleType, type(None)})


class _Manager(pluggy.PluginManager):
    """pluggy's manager. In a module it skips names that cannot be hooks, which is nearly all of them."""

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> pluggy.HookimplOpts | None:
        """The options of a hook; None for anything else."""
        if type(plugin) is ModuleType and name in vars(plugin):
            value = vars(plugin)[name]
            kind = type(value)
            if kind in _NEVER_HOOKS or (kind is FunctionType and _MARK not in vars(value)):
                return None
            if kind is not FunctionType and not inspect.isroutine(value):  # pluggy finds so too, at ten times the price
                return None
        return super().parse_hookimpl_opts(plugin, name)


def _write_short(text: str) -> None:
    """Print a line of pluggy's own trace, shortened because it repeats whole answers."""
    line = text.rstrip("\n")
    sys.stderr.write(f"pluggy: {line if len(line) <= LONGEST_TRACE else line[:LONGEST_TRACE] + '...'}\n")


class _WrapperFailedError(Exception):
    """A wrapper around a hook failed; the problem is recorded already."""


def _guarded(steps: Generator[Any, Any, Any], source: PluginSource, what: str) -> Generator[Any, Any, Any]:
    """As `yield from`, with each part of the wrapper's code between two yields in a guarded call of its own."""
    go_on: Callable[[], Any] = partial(next, steps)
    while True:
        with away_from_output():
            has_ended, value = call(source, what, _step, go_on)
        if has_ended:
            return value
        try:
            go_on = partial(steps.send, (yield value))
        except GeneratorExit:
            steps.close()
            raise
        except BaseException as error:  # noqa: BLE001 - whatever is raised inside is the wrapper's to handle
            go_on = partial(steps.throw, error)


def _step(go_on: Callable[[], Any]) -> tuple[bool, Any]:
    """Whether the wrapper has ended, and the value that it yields or, at its end, returns."""
    try:
        return False, go_on()
    except StopIteration as end:
        return True, end.value


def _read(answer: object) -> object:
    """The answer, with a generator read to its end: that runs the plugin's code, so it must happen inside the guard."""
    return at_most(answer, MAX_ANSWERS) if inspect.isgenerator(answer) else answer


def _listed(answer: object) -> list[object]:
    return list(answer) if isinstance(answer, (list, tuple, set, frozenset)) else [answer]
