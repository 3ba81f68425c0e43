"""Each of three libraries reads what each of them wrote, or refuses with a reason; docs/interop.md shows it."""

from __future__ import annotations

import pytest

from tests.acceptance.interop_features import FEATURES
from tests.acceptance.interop_matrix import CLIENTS, EQUAL, OURS, PAGE, RUST, SPARK, Cells, page, run_matrix
from tests.peers.delta_spark import DeltaSpark

pytest_plugins = ["tests.peers.fixtures"]
pytestmark = [pytest.mark.peer, pytest.mark.spark]


@pytest.fixture(scope="module")
def cells(small_delta_spark: DeltaSpark, tmp_path_factory: pytest.TempPathFactory) -> Cells:
    return run_matrix(small_delta_spark, tmp_path_factory.mktemp("interop"))


def test_no_library_reads_other_rows_than_were_written(cells: Cells) -> None:
    assert {key: cell for key, cell in cells.items() if cell.startswith("WRONG")} == {}


@pytest.mark.parametrize("name", FEATURES)
def test_this_library_and_delta_spark_read_equal_rows_from_each_other(cells: Cells, name: str) -> None:
    found = {(writer, reader): cells[name, writer, reader] for writer in (OURS, SPARK) for reader in (OURS, SPARK)}
    assert found == dict.fromkeys(found, EQUAL)


@pytest.mark.parametrize("name", FEATURES)
def test_this_library_reads_whatever_delta_rs_writes(cells: Cells, name: str) -> None:
    assert cells[name, RUST, OURS] == EQUAL or cells[name, RUST, OURS].startswith("not expressible (")


def test_every_cell_is_known(cells: Cells) -> None:
    assert set(cells) == {(name, writer, reader) for name in FEATURES for writer in CLIENTS for reader in CLIENTS}


def test_the_page_shows_this_run(cells: Cells) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(cells)
