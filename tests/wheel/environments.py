"""The two archives of what is committed, and environments that hold one of them and nothing else of this clone."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import attrs

from tests.conftest import ROOT
from tests.wheel.cases import Case

TOOLS = ("uv", "build", "twine", "check-wheel-contents")


class CaseFailedError(Exception):
    """A command of a case did not do what it should; the message has its output."""


def run(command: Sequence[object], folder: Path, environment: dict[str, str] | None = None, code: int = 0) -> str:
    """What a command prints. Raises `CaseFailedError` unless it ends with `code`."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=plain_environment() if environment is None else environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != code:
        line = " ".join(map(str, command))
        raise CaseFailedError(f"{line}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout + done.stderr


def plain_environment() -> dict[str, str]:
    """The variables of this process without those that would let an environment see this clone, or another Spark."""
    hidden = ("PYTHONPATH", "MYPYPATH", "VIRTUAL_ENV", "SPARK_HOME", "PYSPARK_PYTHON", "RENEW_SNAPSHOTS")
    return {name: value for name, value in os.environ.items() if name not in hidden}


def pyenv_folders() -> list[str]:
    """The folders of the interpreters that pyenv has; its shims answer only for the release that is switched on."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return [str(folder) for folder in sorted(root.glob("versions/3.*/bin"))]


def oldest(extras: Sequence[str]) -> list[str]:
    """Each dependency at the lower bound that pyproject.toml gives it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(each for extra in extras for each in project["optional-dependencies"][extra])]
    return [re.sub(r">=([\d.]+).*", r"==\1", each) for each in wanted]


@attrs.frozen
class Workshop:
    """A folder with the tools, the archives and the environments."""

    folder: Path

    @functools.cached_property
    def tools(self) -> Path:
        """The `bin` of an environment with the tools."""
        place = self.folder / "tools"
        if not (place / "bin" / "uv").exists():
            run([sys.executable, "-m", "venv", place], self.folder)
            run([place / "bin" / "python", "-m", "pip", "install", "--quiet", *TOOLS], self.folder)
        return place / "bin"

    def build(self) -> tuple[Path, Path]:
        """The wheel and the source archive of what is committed, looked over by twine and check-wheel-contents.

        Those of the same commit that a run before this one has left in the folder are taken again.
        """
        source, dist, made_of = self.folder / "source", self.folder / "dist", self.folder / "commit"
        commit = run(["git", "-C", ROOT, "rev-parse", "HEAD"], self.folder)
        if made_of.is_file() and made_of.read_text(encoding="utf-8") == commit:
            return self._archives(dist)
        run(["rm", "-rf", source, dist], self.folder)
        source.mkdir()
        run(["git", "-C", ROOT, "archive", "--output", self.folder / "source.tar", "HEAD"], self.folder)
        run(["tar", "-xf", self.folder / "source.tar", "-C", source], self.folder)
        run([self.tools / "python", "-m", "build", "--outdir", dist, source], self.folder)
        wheel, archive = self._archives(dist)
        run([self.tools / "twine", "check", "--strict", wheel, archive], self.folder)
        run([self.tools / "check-wheel-contents", wheel], self.folder)
        made_of.write_text(commit, encoding="utf-8")
        return wheel, archive

    @staticmethod
    def _archives(dist: Path) -> tuple[Path, Path]:
        (wheel,), (archive,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
        return wheel, archive

    def find_python(self, version: str) -> Path | None:
        """An interpreter of this minor release; fetched by uv where it can, None where there is none to be had."""
        found = self._installed_python(version)
        if found is None:
            command = [str(self.tools / "uv"), "python", "install", "--quiet", version]
            subprocess.run(command, cwd=self.folder, capture_output=True, check=False)
            found = self._installed_python(version)
        return found

    def _installed_python(self, version: str) -> Path | None:
        command = [str(self.tools / "uv"), "python", "find", "--no-project", version]
        variables = {**os.environ, "PATH": os.pathsep.join([*pyenv_folders(), os.environ["PATH"]])}
        done = subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False)
        return Path(done.stdout.strip()) if done.returncode == 0 else None

    def environment(self, name: str) -> Path:
        """Where the environment of a case lies."""
        return self.folder / "environments" / re.sub(r"\W+", "-", name)

    def make(self, case: Case, python: Path, archives: tuple[Path, Path]) -> Path:
        """A new environment as the case wants it; gives its `bin`."""
        place = self.environment(case.name)
        uv = self.tools / "uv"
        run([uv, "venv", "--quiet", "--clear", "--no-project", "--python", python, place], self.folder)
        archive = next(each for each in archives if each.name.endswith(case.archive))
        extras = f"[{','.join(case.extras)}]" if case.extras else ""
        wanted = [f"deltaresolver{extras} @ {archive.as_uri()}", *case.also]
        # By name, since an installer's own `lowest` reaches only what it is asked for, which is the wheel.
        wanted += oldest(case.extras) if case.lowest else []
        if case.installer == "pip":
            run([uv, "pip", "install", "--quiet", "--python", place, "pip"], self.folder)
            command = [place / "bin" / "python", "-m", "pip", "install", "--quiet"]
        else:
            command = [uv, "pip", "install", "--quiet", "--python", place]
        run([*command, *wanted], self.folder)
        run([uv, "pip", "check", "--quiet", "--python", place], self.folder)
        return place / "bin"

    def installed(self, place: Path) -> dict[str, str]:
        """The packages of an environment with their versions."""
        listed = run([self.tools / "uv", "pip", "freeze", "--python", place.parent], self.folder)
        return dict(line.split("==", 1) for line in listed.splitlines() if "==" in line)
