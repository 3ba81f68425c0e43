"""Check that a function of a plugin accepts the arguments it will get, and that calling it runs it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import FunctionType, MethodType
from typing import Any


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function; cached for those written in Python. Raises `ValueError`, `TypeError`."""
    return _signature(function) if type(function) is FunctionType else inspect.signature(function)


@lru_cache(maxsize=2048)
def _signature(function: FunctionType) -> inspect.Signature:
    return inspect.signature(function)


def why_not_callable(
    function: Callable[..., Any], positional: Iterable[str], keywords: Iterable[str] = ()
) -> str | None:
    """Why a function cannot be called with these arguments, as half a sentence; None where it can be."""
    arguments, named = list(positional), dict.fromkeys(keywords)
    try:
        if type(function) is MethodType and type(function.__func__) is FunctionType:
            signature_of(function.__func__).bind(function.__self__, *arguments, **named)
        else:
            signature_of(function).bind(*arguments, **named)
    except TypeError as error:
        shown = ", ".join([*arguments, *(f"{name}=..." for name in named)])
        return f"cannot be called with its arguments ({shown}): {error}"
    except ValueError:
        return None  # written in C, without a signature
    return None


def why_it_never_runs(function: Callable[..., Any], *, may_yield: bool = False) -> str | None:
    """Why calling a function does not run it: a coroutine, or a generator whose results are not read; else None."""
    inner = inspect.unwrap(function)
    inner = getattr(inner, "func", inner)  # functools.partial
    if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner):
        return "is asynchronous, and nobody awaits it"
    if not may_yield and inspect.isgeneratorfunction(inner):
        return "yields, and nobody reads what it yields, so nothing of it would run"
    return None


def never_ran(answer: object) -> bool:
    """Whether an answer shows that the function did not run."""
    return inspect.iscoroutine(answer) or inspect.isgenerator(answer) or inspect.isasyncgen(answer)
