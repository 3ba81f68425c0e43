"""SQL takes absolute paths: a relative one is refused as such, and not looked up in the catalog."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.errors import TableNameError
from deltaresolver.spark.names.identifiers import path_of


@pytest.mark.parametrize("path", ["shop/orders", "./orders", "../orders", "a b/c`d"])
def test_a_relative_path_is_refused_with_the_absolute_one(path: str) -> None:
    with pytest.raises(TableNameError, match="absolute") as caught:
        path_of(("delta", path))
    assert caught.value.fix is not None
    assert str(Path.cwd().parent) in caught.value.fix


@pytest.mark.parametrize("name", [("delta", "orders"), ("db", "a/b"), ("t",), ("spark_catalog", "db", "t")])
def test_names_of_the_catalog_stay_names(name: tuple[str, ...]) -> None:
    assert path_of(name) is None


@pytest.mark.parametrize("path", ["/lake/orders", "s3://bucket/orders", "file:/lake/orders"])
def test_absolute_paths_are_taken_as_paths(path: str) -> None:
    assert path_of(("DELTA", path)) == path
