"""The page of an error code: what it means, why it exists, an example, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from deltaresolver import errors
from deltaresolver.errors import DeltaResolverError, UnknownErrorCodeError
from deltaresolver.value import Value

FOLDER = "error_pages"
"""docs/errors, linked into this package so that a wheel carries it."""

DIGITS = 3
_FOREIGN_CODE = r"[A-Za-z][A-Za-z_-]*\d+"
_CODE = r"DR[-_ ]?\d{1,6}"


@attrs.frozen(slots=True)
class ErrorPage(Value):
    """One page, in Markdown."""

    code: str
    error: str
    text: str


def is_error_code(text: str) -> bool:
    """Whether a text has the form of an error code."""
    return re.fullmatch(_CODE, text, re.IGNORECASE) is not None


def error_classes() -> dict[str, type[DeltaResolverError]]:
    """Every error class by its code."""
    return {
        kind.code: kind
        for kind in _with_subclasses(DeltaResolverError)
        if kind.__module__.rpartition(".")[0] == errors.__name__
    }


def _with_subclasses(kind: type[DeltaResolverError]) -> Iterator[type[DeltaResolverError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _with_subclasses(below)


def page_of_plugin(code: str) -> ErrorPage | None:
    """The page that a feature of an installed package brings for a code of its own, if there is one."""
    if not re.fullmatch(_FOREIGN_CODE, code):
        return None
    from deltaresolver.defaults import default_catalog

    for feature in default_catalog():
        for own, text in feature.error_pages.items():
            if own.upper() == code.upper():
                return ErrorPage(own, feature.name, text if text.endswith("\n") else f"{text}\n")
    return None


def code_of(name: str) -> str | None:
    """The code of an error by its bare number, its class, or the class or condition that delta-spark has for it."""
    for code, kind in error_classes().items():
        if name in (code.removeprefix("DR"), kind.__name__, kind.default_delta_class, kind.default_delta_condition):
            return code
    return None


def page_of(code: str) -> ErrorPage:
    """The page of a code; for a group such as DR200, the codes in it. Raises `UnknownErrorCodeError`."""
    import difflib
    from importlib import resources

    classes = error_classes()
    number = re.sub(r"\D", "", code)
    kind = classes.get(f"DR{number}")
    if kind is None:
        near = difflib.get_close_matches(f"DR{number}", sorted(classes), n=1) if len(number) >= DIGITS else []
        group = f"DR{number[:1]}00"
        raise UnknownErrorCodeError(
            f"There is no error DR{number}{f' (did you mean {near[0]}?)' if near else ''}.",
            fix=f"Use a code as errors show it; `deltaresolver explain {group}` lists its group."
            if group in classes
            else "Use a code as errors show it; groups such as DR100 and DR400 list theirs.",
            details={"code": f"DR{number}", "nearest": near},
        )
    file = resources.files(__package__).joinpath(FOLDER, f"{kind.code}.md")
    if file.is_file():
        return ErrorPage(kind.code, kind.__name__, file.read_text(encoding="utf-8"))
    return ErrorPage(kind.code, kind.__name__, _group_page(kind))


def _group_page(kind: type[DeltaResolverError]) -> str:
    lines = [f"# {kind.code} {kind.__name__}", "", (kind.__doc__ or "").strip().splitlines()[0], ""]
    lines += [f"- {below.code} {below.__name__}: {_summary(below)}" for below in kind.__subclasses__()]
    return "\n".join(lines) + "\n"


def _summary(kind: type[DeltaResolverError]) -> str:
    return (kind.__doc__ or "").strip().splitlines()[0]
