"""All plugins in one pluggy manager, whose answers keep the name of who gave them.

Ordering, wrappers, `specname`, `optionalhook` and tracing mean what pluggy documents. What pluggy leaves out is added:
an exception in a hook names plugin and package and keeps no other plugin from being asked. No hook is historic: a
catalog is made at once of all plugins, and one that is registered later is asked when the next catalog is made.
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
"""How many things one hook may bring."""
LONGEST_TRACE = 200


@attrs.frozen(slots=True)
class Plugin(Value):
    """A module or object with hooks, and who brought it."""

    hooks: object
    source: PluginSource


class Asking:
    """Plugins that are asked together. `problems` grows with what goes wrong."""

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
        """What the plugins answer to a hook, each with who gave it. What is not of this kind is a problem.

        `called` is what plugin authors know the kind by, where that is not the name of its class.
        """
        wanted = called or kind.__name__
        self._brought = []
        try:
            with warnings.catch_warnings():
                # What it warns of is among the problems, with the plugin's own exception.
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
        """Who brought an item; one that no hook returned is a wrapper's."""
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
        """The hook as pluggy calls it: it never raises, and what it returns is known by who returned it."""
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
        """The wrapper as pluggy calls it; an old one, that does not give `answers`, returns nothing."""

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
        """What a wrapper returns and no hook inside it did is the wrapper's. Raises `TypeError` for no list."""
        if not isinstance(answers, (list, tuple)):
            raise TypeError(f"it returned {type(answers).__name__}, not the list of answers")
        known = {id(item) for item, _ in self._brought}
        added = [item for answer in answers for item in _listed(answer) if id(item) not in known]
        self._brought += [(item, source) for item in added]


_MARK = f"{hookspecs.PROJECT}_impl"
_NEVER_HOOKS = frozenset({type, str, int, dict, tuple, list, frozenset, ModuleType, type(None)})


class _Manager(pluggy.PluginManager):
    """pluggy's manager. In a module it passes over what is surely no hook, which is nearly all that stands there."""

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
    """A line of pluggy's own trace, which repeats whole answers."""
    line = text.rstrip("\n")
    sys.stderr.write(f"pluggy: {line if len(line) <= LONGEST_TRACE else line[:LONGEST_TRACE] + '...'}\n")


class _WrapperFailedError(Exception):
    """A wrapper around a hook failed; the problem is noted already."""


def _guarded(steps: Generator[Any, Any, Any], source: PluginSource, what: str) -> Generator[Any, Any, Any]:
    """As `yield from`, with each stretch of the wrapper's code between two yields a guarded call of its own."""
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
    """What the wrapper yields, or, once it has ended, what it returns."""
    try:
        return False, go_on()
    except StopIteration as end:
        return True, end.value


def _read(answer: object) -> object:
    """A generator runs the plugin's code only when it is read, so it is read inside the guard."""
    return at_most(answer, MAX_ANSWERS) if inspect.isgenerator(answer) else answer


def _listed(answer: object) -> list[object]:
    return list(answer) if isinstance(answer, (list, tuple, set, frozenset)) else [answer]
