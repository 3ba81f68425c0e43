"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.nasty import COLUMN_NAMES

PACKAGE = """
from deltaresolver.lazy_names import LazyNames

with LazyNames(globals()) as public:
    from lazy_sample.part import Thing as Thing
    from lazy_sample.part import Thing as Other
    from lazy_sample.inner import inner as inner

__all__ = list(public.names)
__getattr__, __dir__ = public.load, public.known
"""


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package with lazy names, one of which is also the name of a module in it."""
    folder = tmp_path / "lazy_sample"
    folder.mkdir()
    (folder / "__init__.py").write_text(PACKAGE)
    (folder / "part.py").write_text("class Thing: ...\n")
    (folder / "inner.py").write_text("def inner(): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("lazy_sample")
    for name in [name for name in sys.modules if name.partition(".")[0] == "lazy_sample"]:
        del sys.modules[name]


def test_nothing_is_imported_until_a_name_is_used(sample: ModuleType) -> None:
    assert not [name for name in sys.modules if name.startswith("lazy_sample.")]
    assert sample.__all__ == ["Other", "Thing", "inner"]
    assert {"Other", "Thing", "inner"} <= set(dir(sample))
    assert sample.Thing is sample.Other is sys.modules["lazy_sample.part"].Thing
    assert "lazy_sample.inner" not in sys.modules


def test_a_name_once_used_stays_among_the_globals(sample: ModuleType) -> None:
    assert "Thing" not in vars(sample)
    assert vars(sample)[sample.Thing.__name__] is sample.Thing


def test_a_module_that_is_called_as_its_name_stays_what_import_expects(sample: ModuleType) -> None:
    assert sample.inner is sys.modules["lazy_sample.inner"]


@pytest.mark.parametrize("name", COLUMN_NAMES)
def test_other_names_are_attribute_errors(sample: ModuleType, name: str) -> None:
    with pytest.raises(AttributeError, match="lazy_sample"):
        getattr(sample, name)


def test_imports_are_pythons_own_again_after_the_block_and_beside_it(sample: ModuleType) -> None:
    original = builtins.__import__
    seen: list[ModuleType] = []
    code = "with LazyNames(globals()):\n    seen.append(beside())\n    from lazy_sample.nowhere import a as a\n"
    exec(code, {"LazyNames": type(sample.public), "seen": seen, "beside": _imported})
    assert seen == [importlib.import_module("json.tool")]
    assert builtins.__import__ is original


def _imported() -> ModuleType:
    import json.tool

    return json.tool


def test_an_error_in_the_block_leaves_imports_as_they_were(sample: ModuleType) -> None:
    original = builtins.__import__
    with pytest.raises(ZeroDivisionError):
        exec("with LazyNames(globals()):\n    1 / 0\n", {"LazyNames": type(sample.public)})
    assert builtins.__import__ is original
