"""The entry points of our group in the metadata of every installed package, also where metadata is invalid.

`importlib.metadata` reads the metadata of all packages at once and fails for all of them where one is invalid: a file
that is not UTF-8, a package without a name, a line that is not an entry. Here each package is read alone. Invalid
metadata that may offer plugins becomes an offer with a fault, and its package is set aside like one that cannot be
imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import PurePath

from deltaresolver.plugins import hookspecs
from deltaresolver.plugins.offered import OWN, Offer

_ENTRIES = "entry_points.txt"
_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}")
"""The names that package indexes allow. A name is printed, and typed after --without-plugin."""
_VERSION = re.compile(r"[A-Za-z0-9._+!-]{1,100}")
_UNNAMED = "unnamed-package"
NO_VERSION = "?"


def foreign_offers() -> tuple[Offer, ...]:
    """Every entry point of our group, in the order in which packages are found; ours among them."""
    return tuple(offer for package in _packages() for offer in _offers(package))


def version_of(package: str) -> str:
    """The installed release of the package with this name; `?` where its metadata has none."""
    found = next((one for one in _packages() if package_name(one) == package), None)
    text = "" if found is None else _stated(found, "Version")
    return text if _VERSION.fullmatch(text) else NO_VERSION


def package_name(package: Distribution) -> str:
    """The name in its metadata if that is valid, else the name in its folder's name."""
    name = _stated(package, "Name")
    if _NAME.fullmatch(name):
        return name
    return re.sub(r"[^A-Za-z0-9._]+", "-", _name_of_folder(package))[:100].strip("-") or _UNNAMED


def _packages() -> Iterator[Distribution]:
    """The installed packages; of several with one name the first, as in `importlib.metadata`."""
    seen: set[str] = set()
    for package in distributions():
        name = re.sub(r"[-_.]+", "-", _name_of_folder(package) or package_name(package)).lower()
        if name not in seen:
            seen.add(name)
            yield package


def _name_of_folder(package: Distribution) -> str:
    # Other finders may find packages outside any folder, and no public interface tells in which folder a package is.
    folder = PurePath(str(getattr(package, "_path", "")))
    return folder.stem.partition("-")[0] if folder.suffix in {".dist-info", ".egg-info"} else ""


def _stated(package: Distribution, field: str) -> str:
    try:
        text = package.metadata[field]
    except Exception:  # noqa: BLE001 - metadata that cannot be parsed names nothing
        return ""
    return text.strip() if isinstance(text, str) else ""


def _offers(package: Distribution) -> Iterator[Offer]:
    try:
        found = tuple(package.entry_points)
    except Exception as error:  # noqa: BLE001 - a stranger's text may fail in any way
        if _may_be_ours(package):
            name = package_name(package)
            fault = f"its {_ENTRIES} cannot be read: {type(error).__name__}: {error}"
            yield Offer(_ENTRIES, f"{name}/{_ENTRIES}", name, fault=fault)
        return
    yield from (_offer(entry, package) for entry in found if entry.group == hookspecs.ENTRY_POINT_GROUP)


def _may_be_ours(package: Distribution) -> bool:
    """Whether a file of entry points that cannot be parsed seems to have our group."""
    try:
        text = package.read_text(_ENTRIES)
    except UnicodeDecodeError as error:
        return hookspecs.ENTRY_POINT_GROUP.encode() in error.object
    except Exception:  # noqa: BLE001 - nothing of it can be seen
        return True
    return text is not None and hookspecs.ENTRY_POINT_GROUP in text


def _offer(entry: EntryPoint, package: Distribution) -> Offer:
    name = package_name(package)
    if entry.pattern.match(entry.value) is None:
        return Offer(entry.name, entry.value, name, fault="it names no module")
    # Another package may use our name: only entry points that name our own modules are ours.
    if name.lower() == OWN and entry.module.partition(".")[0] != OWN:
        name = entry.module.partition(".")[0] or _UNNAMED
    return Offer(entry.name, entry.value, name, entry)
