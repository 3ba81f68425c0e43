"""What is tried in an environment that holds the wheel: commands, extras, pages of the documentation, and Spark."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from tests.acceptance.test_spark_versions import DOOR, RECORDED
from tests.archives import unpack
from tests.spark.connect.java_process import run_java, wait_for
from tests.spark.connect.test_servers import BOTH_DOORS, SERVER, SETTINGS
from tests.spark.test_pages import ON_CONNECT
from tests.spark.test_pages import PAGES as SPARK_PAGES
from tests.unit.cli.test_readme import RUN
from tests.wheel.environments import CaseFailedError, plain_environment, run
from tests.wheel.packages import check_image, check_recipe

WITHOUT_EXTRA = {
    "report": ("audit shop --html report.html", "DR803"),
    "cloud": ("resolve s3://bucket/table", "DR408"),
    "spark": ("audit shop --spark", "DR113"),
    "ui": ("ui shop/orders", "DR113"),
    "dbt": ("check models.yml", "DR113"),
    "glue": ("audit --catalog glue:eu-west-1", "DR113"),
}
"""For each extra a command that needs it, and the error of those who do not have it."""
GIVES = {"connect": ("spark",), "spark": ()}
"""The extras that an extra brings with it."""
IMPORTS = {
    "spark": "pyspark.sql, pandas, pyroaring, deltaresolver.spark",
    "connect": "grpc, pyspark.sql.connect.session, deltaresolver.spark",
    "cloud": "obstore",
    "report": "jinja2, deltaresolver.audit.report",
    "ui": "starlette, uvicorn, deltaresolver.ui.app",
    "dbt": "yaml",
    "glue": "botocore.session",
}


@attrs.frozen
class Place:
    """An environment's `bin`, an empty folder to work in, the clone, and the `bin` of the server's environment."""

    bin: Path
    folder: Path
    clone: Path
    """What is committed, from which the wheel was made: pages and tests that have changed since are not about it."""
    server: Path | None = None

    def command(self, line: str, code: int = 0) -> str:
        """What a command of deltaresolver prints."""
        words = [*re.findall(r'"[^"]*"|\S+', line)]
        return run([self.bin / "deltaresolver", *(word.strip('"') for word in words)], self.folder, code=code)

    def python(self, *arguments: object, in_clone: bool = False) -> str:
        """What Python prints; in the clone it finds `tests` there, and the library still in the environment."""
        environment = plain_environment() | {"PYSPARK_PYTHON": str(self.bin / "python")}
        if in_clone:
            environment["PYTHONPATH"] = str(self.clone)
        environment["PATH"] = f"{self.bin}:{environment['PATH']}"
        return run([self.bin / "python", "-W", "ignore", *arguments], self.folder, environment)


def check_commands(place: Place) -> None:
    """The commands that everybody begins with, the way they are started, and what an extra that lacks says."""
    place.command('sql shop/orders "CREATE TABLE orders (id BIGINT, day DATE) USING delta"')
    for line in ("--version", "--help", "explain shop/orders", "history shop/orders", "features", "explain DR204"):
        place.command(line)
    place.command("impact shop/orders --set delta.enableDeletionVectors=true --require trino@413", code=1)
    place.command("audit shop --client trino@413 --json audit.json")
    place.command("resolve nowhere", code=2)
    place.python("-m", "deltaresolver", "plan", "shop/orders", "--client", "trino@413")
    found = json.loads(place.command("resolve shop/orders --json"))
    expect(found["protocol"], {"minReaderVersion": 1, "minWriterVersion": 2})
    expect((place.bin.parent / "share" / "man" / "man1" / "deltaresolver.1").is_file(), True)


def check_extra(place: Place, extra: str) -> None:
    """What it brings can be imported; a command that needs another extra names it."""
    place.python("-c", f"import {IMPORTS[extra]}")
    place.command('sql shop/orders "CREATE TABLE orders (id BIGINT) USING delta"')
    (place.folder / "models.yml").write_text("models: [{name: t, tblproperties: {a: b}}]\n", encoding="utf-8")
    for other, (line, code) in WITHOUT_EXTRA.items():
        if other == extra or other in GIVES.get(extra, ()):
            continue
        told = place.command(line, code=2)
        if f"error {code}" not in told or f'pip install "deltaresolver[{other}]"' not in told:
            raise CaseFailedError(f"deltaresolver {line} does not name the extra {other}:\n{told}")


def check_pages(place: Place, pages: tuple[str, ...] = RUN) -> None:
    """Each page is followed in an empty folder of its own."""
    code = "import sys; from pathlib import Path; from tests.unit.cli.pages import run_page\n"
    code += "run_page(Path(sys.argv[1]), Path('.').absolute())"
    for page in pages:
        empty = place.folder / re.sub(r"\W+", "-", page)
        empty.mkdir()
        attrs.evolve(place, folder=empty).python("-c", code, place.clone / page, in_clone=True)


def check_doors(place: Place, kind: str) -> None:
    """Reading, writing, changing and streams, through both doors."""
    unpack(RECORDED, place.folder / f"recorded {kind}")
    variants = place.folder / f"recorded {kind}" / "tables" / "variant"
    job = ("-m", "tests.acceptance.spark_version_job", kind, place.folder / kind, variants)
    found = told_by(place.python(*job, in_clone=True))
    expect(found["connect"], kind == "connect")
    expect({door: found[door] for door in ("fast", "source")}, {"fast": DOOR, "source": DOOR})
    expect(found["stream"]["then"], [4, 9, 500, 501, 502])
    expect(found["changed"], [[4, "é4!m"], [5, "m"]])


def check_client(place: Place) -> None:
    """A client without Spark itself talks to a server of another environment."""
    if place.server is None:
        raise CaseFailedError("There is no environment with a server.")
    settings = {**SETTINGS, "spark.pyspark.python": str(place.server / "python")}
    submit = ("org.apache.spark.deploy.SparkSubmit", "--class", SERVER, "--master", "local[2]")
    parts = [part for setting in settings.items() for part in ("--conf", "=".join(setting))]
    code = "import os, pyspark; print(os.path.dirname(pyspark.__file__))"
    home = Path(run([place.server / "python", "-c", code], place.folder).strip())
    # A Connect server starts the Python of this variable for a data source, whatever its settings name.
    variables = plain_environment() | {"PYSPARK_PYTHON": str(place.server / "python")}
    log = place.folder / "server.log"
    with run_java(log, *submit, *parts, "spark-internal", memory="1g", home=home, variables=variables):
        address = "sc://127.0.0.1:" + wait_for(log, r"Spark Connect server started at: \S+:(\d+)\s")
        job = ("-m", "tests.spark.connect.connect_job", place.folder / "tables", address)
        (place.folder / "tables").mkdir()
        expect(told_by(place.python(*job, in_clone=True)), {"whole": False, **BOTH_DOORS})


def told_by(printed: str) -> Any:
    """What a job of tests/spark_job.py tells."""
    (line,) = (line for line in printed.splitlines() if line.startswith("FOUND "))
    return json.loads(line.removeprefix("FOUND "))


def expect(found: object, wanted: object) -> None:
    """Raises `CaseFailedError` unless the two are equal."""
    if found != wanted:
        raise CaseFailedError(f"{found!r}\nis not\n{wanted!r}")


def check_of(name: str) -> Callable[[Place], None]:
    """The check of a name in cases.py."""
    if name.startswith("extra "):
        return lambda place: check_extra(place, name.removeprefix("extra "))
    known: dict[str, Callable[[Place], None]] = {
        "commands": check_commands,
        "pages": check_pages,
        "spark pages": lambda place: check_pages(place, (*SPARK_PAGES, ON_CONNECT)),
        "classic": lambda place: check_doors(place, "classic"),
        "connect": lambda place: check_doors(place, "connect"),
        "client": check_client,
        "image": lambda place: check_image(place.bin, place.folder, place.clone),
        "recipe": lambda place: check_recipe(place.bin, place.folder, place.clone),
    }
    return known[name]
