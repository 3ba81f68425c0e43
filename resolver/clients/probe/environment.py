"""A virtual environment with one release of a client and its dependencies."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from deltaresolver.errors import PackageIndexUnreachableError, ReleaseNotInstallableError

INSTALL_SECONDS = 900
_UNREACHABLE = re.compile(
    r"NewConnectionError|ConnectTimeout|ReadTimeout|Temporary failure in name resolution|Network is unreachable"
    r"|Connection refused|ProxyError|SSLError|nodename nor servname|Max retries exceeded"
)
_NOT_THERE = re.compile(
    r"No matching distribution found for (\S+)|(?:Failed building|failed to build)[^\n]*", re.IGNORECASE
)


def make_environment(folder: Path, requirements: Sequence[str]) -> Path:
    """The Python of an environment in `folder` with these packages; an environment that is there is used again.

    Raises `PackageIndexUnreachableError`, `ReleaseNotInstallableError`.
    """
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = folder / "installed.txt"
    wanted = "\n".join(requirements)
    if python.exists() and done.exists() and done.read_text(encoding="utf-8") == wanted:
        return python
    venv.create(folder, with_pip=True, clear=folder.exists() and not any(folder.iterdir()))
    # -I: without it a file called pip.py in the working directory would be run in place of pip.
    command = [str(python), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
    try:
        installed = subprocess.run(
            [*command, *requirements], capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise _unreachable(requirements, f"installing took more than {INSTALL_SECONDS} seconds") from error
    if installed.returncode != 0:
        raise _refusal(requirements, installed.stdout + installed.stderr)
    done.write_text(wanted, encoding="utf-8")
    return python


def _refusal(requirements: Sequence[str], told: str) -> PackageIndexUnreachableError | ReleaseNotInstallableError:
    missing = _NOT_THERE.search(told)
    if _UNREACHABLE.search(told) and "from versions: none" in told.lower().replace("(", "").replace(")", ""):
        return _unreachable(requirements, "there is no connection to it")
    if _UNREACHABLE.search(told) and missing is None:
        return _unreachable(requirements, "there is no connection to it")
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    reason = missing[0] if missing is not None else (lines[-1] if lines else "pip gave no reason")
    return ReleaseNotInstallableError(
        f"{', '.join(requirements)} cannot be installed for Python {sys.version_info.major}.{sys.version_info.minor}: "
        f"{reason[:300]}.",
        fix="Name a release that exists, or run this with a Python that the release has packages for.",
        details={"requirements": list(requirements), "reason": reason, "python": sys.version.split()[0]},
    )


def _unreachable(requirements: Sequence[str], reason: str) -> PackageIndexUnreachableError:
    return PackageIndexUnreachableError(
        f"{requirements[0]} cannot be fetched from the package index: {reason}.",
        fix="Connect to the index, or tell pip of another one: PIP_INDEX_URL, or PIP_FIND_LINKS for a folder.",
        details={"requirements": list(requirements), "reason": reason},
    )
