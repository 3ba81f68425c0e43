"""Follows a page of the documentation in a process of its own, whose session is one of Spark Connect."""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql.utils import is_remote

from tests.spark_job import tell
from tests.unit.cli.pages import run_page


def main() -> None:
    """Run the page of the first argument in the folder of the second."""
    page, folder = map(Path, sys.argv[1:])
    run_page(page, folder)
    tell({"is_remote": is_remote()})


if __name__ == "__main__":
    main()
