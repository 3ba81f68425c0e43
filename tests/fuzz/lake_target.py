"""The target that is a lake.toml: what the documentation shows, odd in some places."""

from __future__ import annotations

import random
import re
import tempfile
from datetime import date
from pathlib import Path

from deltaresolver.planning.lake.read_lake import read_lake
from tests.fuzz.case import TEXT, Case, Target
from tests.fuzz.mutation import changed_bytes, changed_text
from tests.nasty import FOLDER_NAMES, PROPERTY_VALUES, STRINGS

_PAGE = Path(__file__).parents[2] / "docs" / "lake-toml.md"
_SHOWN = re.search(r"```toml\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)
_WORDS = (
    *("[", "]", "[[", "]]", "{", "}", '"', "'", '"""', "=", ",", ".", "\n", "#", "true", "nan", "-1", "1e400", "0x"),
    *("[lake]", "[[client]]", "[storage]", "[[ignore]]", "[audit]", "1979-05-27", "24:00:00", "9" * 5000),
    *('{ env = "X" }', "{ env = 1 }", "[" * 2000, '"*"', '"[!"', '"**/"', "expires = 0001-01-01", "name"),
)


def draw_lake(rng: random.Random) -> Case:
    """A file that is odd in some places; in one case of three a sound one with a value of another kind."""
    assert _SHOWN is not None
    text = _SHOWN[1].replace('clients-files = ["our-clients.toml"]', "")
    if rng.random() < 0.3:
        chosen = rng.choice(list(re.finditer(r'"[^"\n]*"|\d+|\[[^\[\]\n]+\]', text)))
        kind = rng.choice(("1", "true", "1.5", "[]", "[1]", "{}", "1979-05-27", '["x", 1]', "nan", "-9e99", '""'))
        return {TEXT: (text[: chosen.start()] + kind + text[chosen.end() :]).encode()}
    words = (*_WORDS, *map(str, (*STRINGS, *FOLDER_NAMES, *PROPERTY_VALUES)))
    data = changed_text(rng, text, words, 6).encode("utf-8", "surrogatepass")
    return {TEXT: changed_bytes(rng, data, 2) if rng.random() < 0.2 else data}


def use_lake(case: Case) -> None:
    """The file is read, and asked what a command asks it."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        file = Path(folder, "lake.toml")
        file.write_bytes(case[TEXT])
        lake = read_lake(file)
        place = lake.place(f"{folder}/sales/orders")
        lake.required_texts(place)
        lake.location_of("main.sales.orders")
        lake.waiver("old-checkpoint", place, date(2026, 11, 19))
        lake.severity("long-log")
        lake.storage_options({"LAKE_SECRET": "x"})


LAKE_TARGET = Target("lake", draw_lake, use_lake)
