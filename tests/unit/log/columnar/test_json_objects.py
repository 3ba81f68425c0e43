"""pyarrow's JSON reader is not given what it would get wrong."""

from __future__ import annotations

import pyarrow as pa
import pytest

from deltaresolver.log.checkpoint.stats import parse_stats
from deltaresolver.log.columnar.json_objects import read_objects, read_texts

NUMBER = pa.schema([("n", pa.int64())])


@pytest.mark.parametrize(
    "text", ["null", " null", "", "5", '"n"', "[]", "{", '{"n":1}{"n":2}', '{"n":1} null', '{"n":"x"}']
)
@pytest.mark.parametrize("before", [[], ['{"n":1}'], ['{"n":1}', None]])
def test_texts_are_read_only_if_each_is_one_object(before: list[str | None], text: str) -> None:
    assert read_texts(pa.array([*before, text], pa.string()), NUMBER) is None


def test_every_text_is_a_row() -> None:
    table = read_texts(pa.array(['{"n":1}', None, '{"m":"x"}', '{"n":null}', '{"n":-7,"m":{}}']), NUMBER)
    assert table is not None
    assert table.column("n").to_pylist() == [1, None, None, None, -7]


def test_a_refused_text_is_not_an_error() -> None:
    assert read_objects(b'{"n":', NUMBER) is None
    assert read_objects(b'{"n":1}\n{"n":2}', NUMBER) is not None


@pytest.mark.parametrize("text", ["null", "", "5", "[]", "{", '{"n":1}{"n":2}'])
def test_a_text_that_is_not_an_object_has_no_statistics(text: str) -> None:
    found = parse_stats(pa.array([text, '{"n":1}'], pa.string()), pa.struct([("n", pa.int64())]))
    assert found.to_pylist() == [None, {"n": 1}]
